#pragma once

namespace penstock {

/// What counts across sites: utilisation, less what it costs relative to jobs that stay at home.
struct UtilityWeights {
  double utilization = 1;
  double cost = 0.5;
  double carbon = 0.5;
  double transfer = 0.1;
  double late = 1;
  friend bool operator==(const UtilityWeights&, const UtilityWeights&) = default;
};

}  // namespace penstock
