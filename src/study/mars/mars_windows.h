#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// Networks and the best single heuristic are found on one part, all figures on the other.
enum class MarsPart { training, test };

std::string_view name_of(MarsPart part);

/// The workloads of the study by name: scenarios of data/studies/mars.
std::vector<std::string> mars_workloads();

/// A stretch of one workload that is run by itself, on an empty machine.
struct MarsPlan {
  std::string workload{};
  MarsPart part = MarsPart::test;
  std::uint32_t number = 0;              ///< 1 is the first of its workload and part
  std::uint64_t first = 0;               ///< jobs of the part before it; of workflows the seed
  std::vector<std::string> overrides{};  ///< of the scenario
};

/// Random windows of one part, spread over it, no two alike and always the same ones; fewer where
/// the part has fewer. `workload` is one of mars_workloads().
std::vector<MarsPlan> draw_windows(const std::string& workload, MarsPart part, std::uint32_t count);

}  // namespace penstock
