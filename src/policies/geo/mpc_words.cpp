#include "policies/geo/mpc_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "policy/reasons.h"

namespace penstock {
namespace {

/// The least that another site would come to; endless if there is none.
double least_elsewhere(SiteId site, std::span<const MpcDemand> demands, const MpcPrices& prices) {
  double least = std::numeric_limits<double>::infinity();
  for (const MpcDemand& other : demands) {
    if (other.site == site) continue;
    const MpcChoice choice = choose({&other, 1}, prices);
    if (choice.demand) least = std::min(least, choice.cost);
  }
  return least;
}

}  // namespace

std::string mpc_words(const MpcChoice& choice, std::span<const MpcDemand> demands,
                      const MpcPrices& prices, const MpcScene& scene) {
  const auto moment = [&](double hour) {
    return clock_label(scene.begin + round_duration(hour * 3600), scene.now);
  };
  if (demands.empty()) return "waits: every site that could take it is down";
  if (!choice.demand)
    return fmt::format("waits until {}: nowhere {:.0f} GPUs in time", moment(choice.departs),
                       demands.front().gpus);
  const std::string& name = scene.cluster.sites[choice.demand->site.index].name;
  std::string cost = fmt::format("cost {:.3g}", choice.cost);
  const double elsewhere = least_elsewhere(choice.demand->site, demands, prices);
  if (elsewhere < std::numeric_limits<double>::infinity())
    cost += fmt::format(" against {:.3g} elsewhere", elsewhere);
  cost += " (in kWh at mean price and carbon)";
  if (choice.goes_now())
    return fmt::format("at {} from {} by the plan: {}", name, moment(choice.start), cost);
  return fmt::format("waits until {}: planned at {} from {}, {}{}", moment(choice.departs), name,
                     moment(choice.start), cost,
                     choice.eager ? "; it would go now if GPUs were free" : "");
}

}  // namespace penstock
