#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace penstock {

/// Which methods run on a workload, each set with those before it.
enum class AndreasMethods : std::uint8_t {
  few,     ///< first principles and `pr`
  rivals,  ///< first principles with a node for each job, the list rule, `rg` as its authors have
           ///< it
  ours,    ///< `greedy`, `rg` and `ls`
  all,     ///< `rg` and `pr` by the published objective
};

/// A workload of the study.
struct AndreasPlan {
  std::string cluster{};  ///< "server" or "cloud"
  std::uint32_t nodes = 0;
  std::string arrivals{};
  std::uint64_t seed = 0;
  double weights = 1;  ///< of tardiness, in the published ones
  AndreasMethods methods = AndreasMethods::all;
  double load = 0;                    ///< 0 if the authors' generator draws the jobs
  std::pair<double, double> slack{};  ///< of deadlines, by load
  std::uint64_t jobs_per_node = 10;

  bool is_by_load() const { return load > 0; }
  /// "high", "load 0.8, slack 1.1-3".
  std::string workload() const;
};

/// The workloads of all groups of one name, "tuning", "report" or "quick", in the order of
/// cases.toml. The error lists every problem.
Result<std::vector<AndreasPlan>> read_andreas_plans(const std::filesystem::path& path,
                                                    const std::string& group);

}  // namespace penstock
