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
  /// Sends a report, and returns the plan.
  std::function<Result<ClockPlan>(const std::string& report)> ask{};
  Log log{};
};

/// Follows plans until the guard is gone or a signal arrives; then resets all that it set. A plan
/// that is not renewed in time is dropped. Returns the exit code of the process.
int work(const WorkerOptions& options, const GuardPipes& pipes);

/// Resets what a dead worker left set. Returns the exit code of the process.
int clean_up(const WorkerOptions& options);

/// The present report; changes nothing.
Result<std::string> report_once(const WorkerOptions& options);

/// An error if this node needs no agent, or can have none. NVIDIA's library may hang: call it by
/// run_in_child().
Result<Done> look_for_gpus(const WorkerOptions& options);

}  // namespace penstock::agent
