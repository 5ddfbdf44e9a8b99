#include "learn/geo/site_chooser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "learn/geo/variant.h"

namespace penstock {
namespace {

constexpr double kWorthIt = 0.02;

std::size_t feature_named(std::string_view name) {
  const auto names = geo_item_features(*find_geo_variant("marl"));
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

void NetSiteChooser::choose(const Windows& windows, std::vector<SiteChoice>& out) {
  net_.logits(windows, logits_);
  out.clear();
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Window window = windows[w];
    if (!now_.set(windows.of(w, std::span<const float>(logits_)), window.barred)) {
      const auto open = std::ranges::find(window.barred, 0);  // nonsense: any that may be
      out.push_back({static_cast<std::uint32_t>(open - window.barred.begin()), 0});
      continue;
    }
    const std::uint32_t item = chance_ ? now_.at(chance_->uniform()) : now_.best();
    out.push_back({item, now_.log_probability(item)});
  }
}

std::string NetSiteChooser::why(const SiteChoice& choice) const {
  return fmt::format("the network gives it {:.0f} %", 100 * std::exp(choice.log_probability));
}

std::string ThriftyChooser::why(const SiteChoice& /*choice*/) const {
  return "least predicted cost and carbon, of sites with room if any has";
}

void ThriftyChooser::choose(const Windows& windows, std::vector<SiteChoice>& out) {
  out.clear();
  for (std::size_t w = 0; w < windows.size(); ++w)
    out.push_back({choose(windows[w], windows.item_features()), 0});
}

std::uint32_t ThriftyChooser::choose(const Window& window, std::size_t features) const {
  static const std::size_t kRoom = feature_named("site.has_room");
  static const std::size_t kCost = feature_named("site.cost_over_best");
  static const std::size_t kWait = feature_named("site.wait_of_slack");
  static const std::size_t kGain = feature_named("wait.gain");
  const auto wait = static_cast<std::uint32_t>(window.barred.size() - 1);
  const auto feature = [&](std::size_t item, std::size_t which) {
    return double{window.items[item * features + which]};
  };
  using Rank = std::tuple<bool, double, double>;
  std::optional<Rank> best;
  std::uint32_t chosen = wait;
  for (std::uint32_t i = 0; i < wait; ++i) {
    if (window.barred[i] != 0) continue;
    const bool full = feature(i, kRoom) == 0;
    const Rank rank{full, full ? feature(i, kWait) : 0, feature(i, kCost)};
    if (best && *best <= rank) continue;
    best = rank;
    chosen = i;
  }
  const bool may_wait = waits_ && window.barred[wait] == 0;
  if (!best || !may_wait) return chosen;
  const double saved = feature(chosen, kCost) - feature(wait, kGain);
  return saved > kWorthIt ? wait : chosen;
}

}  // namespace penstock
