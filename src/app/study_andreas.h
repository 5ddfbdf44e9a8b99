#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/method_run.h"
#include "base/result.h"

namespace penstock {

struct AndreasRequest {
  std::filesystem::path folder{};  ///< of server.toml and cloud.toml
  bool quick = false;              ///< ten nodes and two seeds only
  unsigned threads = 1;
  bool progress = true;
  /// Told of all cases so far after each, so that a study that is stopped leaves what it found.
  std::function<Result<Done>(const std::vector<struct AndreasCase>&)> after_each{};
};

/// One workload under every method.
struct AndreasCase {
  std::string cluster{};  ///< "server" or "cloud"
  std::uint32_t nodes = 0;
  std::string arrivals{};
  std::uint64_t seed = 0;
  std::vector<MethodRun> runs{};  ///< the three first principles, then ours

  const RunSummary& run(std::string_view method) const;
  bool has(std::string_view method) const { return find_run(runs, method) != nullptr; }
};

Result<std::vector<AndreasCase>> study_andreas(const AndreasRequest& request);

/// Tables for people: savings by method, by workload, and what costs are made of.
std::string andreas_text(const std::vector<AndreasCase>& cases);
/// A row for each run.
std::string andreas_csv(const std::vector<AndreasCase>& cases);
/// Cost of a job against nodes, a panel for each kind of arrivals.
std::string andreas_svg(const std::vector<AndreasCase>& cases, const std::string& cluster);

}  // namespace penstock
