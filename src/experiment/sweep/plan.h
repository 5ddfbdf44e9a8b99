#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiment/experiment.h"

namespace penstock {

/// One run of a sweep: a combination under a policy.
struct SweepPoint {
  std::size_t combination = 0;
  PolicyChoice policy{};
  std::string label{};   ///< for people
  std::string key{};     ///< of version, scenario, what changes it, policy and seed
  std::string folder{};  ///< its name below the sweep's: the label, made plain, and the key
  /// Key, policy and changes as they are written into its summary.
  std::vector<std::pair<std::string, std::string>> facts{};
};

/// All that a sweep is to run, in the order of combinations and policies.
struct SweepPlan {
  std::vector<Combination> combinations{};
  std::vector<SweepPoint> points{};
  std::string key{};                   ///< of all points
  std::vector<std::string> axes{};     ///< the keys that vary
  std::vector<std::string> remarks{};  ///< on the first combination
};

/// Reads the scenario as each combination has it, without jobs, and keeps none of them. Two points
/// that are the same are an error.
Result<SweepPlan> plan_sweep(const ExperimentSpec& spec);

/// "key=v1,v2,...": commas in quotes and brackets do not separate.
Result<SweepAxis> parse_axis(std::string_view text);

/// Of all --vary; a key that is there twice is an error.
Result<std::vector<SweepAxis>> parse_axes(const std::vector<std::string>& texts);

/// 16 hex digits that any other text has by accident alone.
std::string fingerprint(std::string_view text);

/// Gives points their names and keys, and the plan its own; `facts` must be there.
Result<Done> name_points(SweepPlan& plan);

}  // namespace penstock
