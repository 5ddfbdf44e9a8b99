#pragma once

#include <functional>
#include <string>

#include "agent/governor.h"
#include "agent/guard.h"
#include "agent/report.h"

namespace penstock::agent {

struct WorkerOptions {
  std::string node{};
  std::string site{};
  std::string library = "libnvidia-ml.so.1";
  std::string record{};  ///< path
  Duration interval = std::chrono::seconds(5);
  GovernorOptions governor{};
  /// Gives the plan in exchange for a report.
  std::function<Result<Plan>(const std::string& report)> ask{};
  Log log{};
};

/// Follows plans until the guard is gone or a signal asks to end; then resets all that it set.
/// A plan that is not renewed in time is followed no more. Gives what the process ends with.
int work(const WorkerOptions& options, const GuardPipes& pipes);

/// Resets what a dead worker left. Gives what the process ends with.
int rescue(const WorkerOptions& options);

/// What there is to report now, without changing anything.
Result<std::string> report_once(const WorkerOptions& options);

/// Why this node needs no agent, or can have none. NVIDIA's library may hang: use run_apart().
Result<Done> look_for_gpus(const WorkerOptions& options);

}  // namespace penstock::agent
