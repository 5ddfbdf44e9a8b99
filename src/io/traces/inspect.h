#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "io/traces/trace.h"

namespace penstock {

/// Smallest, quartiles, 95th and 99th percentile, largest and mean.
struct DurationSpread {
  Duration least{}, p25{}, p50{}, p75{}, p95{}, p99{}, most{}, mean{};
};

/// The facts that `penstock trace inspect` reports about a trace.
struct TraceFacts {
  TraceReport report{};
  std::uint64_t jobs = 0;
  Time first{};                                    ///< submission
  Time last{};                                     ///< submission
  Duration span{};                                 ///< between them
  std::map<std::uint32_t, std::uint64_t> sizes{};  ///< GPUs to jobs
  DurationSpread durations{};
  std::optional<DurationSpread> gaps{};  ///< between submissions; none for a single job
  double gpu_hours = 0;
  std::uint64_t over_request = 0;  ///< jobs that run longer than they asked for
  std::uint64_t with_deadline = 0;
  std::uint64_t with_parents = 0;
  std::uint64_t users = 0;
  std::uint64_t groups = 0;
  std::uint64_t kinds = 0;

  std::optional<std::uint32_t> cluster_gpus{};
  std::optional<std::uint32_t> gpus_per_node{};
  /// Work offered over the span by what the cluster can do in it; 1 is all of it.
  std::optional<double> offered_load{};
  std::optional<std::uint64_t> never_fit{};  ///< jobs larger than the cluster
  std::optional<std::uint64_t> sub_node{};   ///< jobs smaller than a node
};

TraceFacts inspect(const Trace& trace, std::optional<std::uint32_t> cluster_gpus,
                   std::optional<std::uint32_t> gpus_per_node);

/// An aligned report for people.
std::string to_text(const TraceFacts& facts);
/// The facts as one JSON object; what is undefined is null.
std::string to_json(const TraceFacts& facts);

}  // namespace penstock
