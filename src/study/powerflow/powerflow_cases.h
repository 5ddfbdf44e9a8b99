#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace penstock {

/// A trace at a load on a cluster.
struct PowerflowCaseSpec {
  std::string cluster{};  ///< a scenario beside cases.toml
  std::string trace{};
  std::string file{};  ///< of the trace, seen from the scenario
  std::string format{};
  double load = 0;  ///< GPU time asked for, as a part of what there is while jobs come
  std::uint64_t seed = 0;
  bool fronts = false;     ///< rivals at Zeus's clocks too, and powerflow at several prices
  bool ablations = false;  ///< powerflow without some of its parts
};

/// The cases of all groups of one name, "tuning", "report" or "quick", in the order of cases.toml.
/// The error lists every problem.
Result<std::vector<PowerflowCaseSpec>> read_powerflow_cases(const std::filesystem::path& path,
                                                            const std::string& group);

}  // namespace penstock
