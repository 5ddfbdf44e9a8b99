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
  std::string label{};   ///< what people call it
  std::string key{};     ///< a fingerprint of version, scenario, changes, policy and seed
  std::string folder{};  ///< its name below the sweep's: the label, made plain, and the key
  /// Key, policy and changes as they are written into its summary.
  std::vector<std::pair<std::string, std::string>> facts{};
};

/// All that a sweep is to run, in the order of combinations and policies.
struct SweepPlan {
  std::vector<Combination> combinations{};
  std::vector<SweepPoint> points{};
  std::string key{};                 ///< a fingerprint of all points
  std::vector<std::string> axes{};   ///< the keys that vary
  std::vector<std::string> notes{};  ///< on the first combination
};

/// Plans a point for each combination and policy. Reads the scenario as each combination has it,
/// without jobs, and keeps none of them. Two points that are the same are an error.
Result<SweepPlan> plan_sweep(const ExperimentSpec& spec);

/// Reads "key=v1,v2,..."; commas in quotes and brackets do not separate.
Result<SweepAxis> parse_axis(std::string_view text);

/// Reads the axis of each text; two axes of one key are an error.
Result<std::vector<SweepAxis>> parse_axes(const std::vector<std::string>& texts);

/// 16 hex digits; it is improbable that two texts have the same.
std::string fingerprint(std::string_view text);

/// Fills in the keys and folders of the points, by their labels and facts, and the key of the plan.
/// Two points that are the same are an error.
Result<Done> name_points(SweepPlan& plan);

}  // namespace penstock
