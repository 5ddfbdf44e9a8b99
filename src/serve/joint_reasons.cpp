#include "serve/joint_reasons.h"

#include <fmt/format.h>

#include <algorithm>

namespace penstock {
namespace {

/// A reason, and whom it is about.
struct Held {
  std::string reason{};
  std::vector<std::string> sites{};

  bool names_its_site() const { return sites.size() == 1 && reason.starts_with(sites[0] + " "); }
};

}  // namespace

std::vector<std::string> joint_reasons(const std::vector<SiteReasons>& sites) {
  std::vector<Held> all;
  for (const SiteReasons& each : sites)
    for (const std::string& reason : each.reasons) {
      const auto same = std::ranges::find(all, reason, &Held::reason);
      Held& held = same == all.end() ? all.emplace_back(Held{reason, {}}) : *same;
      held.sites.push_back(each.site);
    }
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const Held& held : all)
    texts.push_back(held.sites.size() == sites.size() || held.names_its_site()
                        ? held.reason
                        : fmt::format("{}: {}", fmt::join(held.sites, ", "), held.reason));
  return texts;
}

}  // namespace penstock
