#pragma once

#include <string>
#include <vector>

namespace penstock {

/// Why nothing is done at a site.
struct SiteReasons {
  std::string site{};
  std::vector<std::string> reasons{};
};

/// The reasons of all sites, each once. One that is not about all of them says which it is about,
/// "east, west: price.csv has ended", unless it begins with that: "east does not answer".
std::vector<std::string> joint_reasons(const std::vector<SiteReasons>& sites);

}  // namespace penstock
