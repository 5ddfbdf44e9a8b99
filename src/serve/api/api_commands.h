#pragma once

#include <string>
#include <vector>

#include "serve/api/api_dependencies.h"
#include "serve/api/job_finder.h"
#include "serve/api/pending_request.h"

namespace penstock {

/// Carries out the commands of the API: submits and cancels jobs, pauses and resumes scheduling,
/// takes progress and reports of agents. Any thread may call it.
class ApiCommands {
 public:
  /// Both must outlive it.
  ApiCommands(const ApiDependencies& needs, SchedulerCalls& calls)
      : needs_(needs), calls_(calls), finder_(needs.backend, needs.journal) {}

  ApiResponse run(const ApiCommand& command);

 private:
  ApiResponse submit(const std::string& body);
  ApiResponse cancel(const ApiCommand& command);
  ApiResponse progress(const ApiCommand& command);
  ApiResponse agent(const ApiCommand& command);
  ApiResponse pause(const std::string& body);
  ApiResponse resume();

  // By the thread that schedules.
  /// Keeps a job until a site is chosen for it.
  ApiResponse add_to_pool(bridge::SubmitJob submission, Time now);
  /// False if no such job waits in the pool.
  bool remove_from_pool(std::int64_t pooled, const char* why, Time now);
  /// Sites with a node of that name; the one called `wanted`, if that is not empty.
  std::vector<std::size_t> sites_with(const std::string& node, const std::string& wanted) const;

  const ApiDependencies& needs_;
  SchedulerCalls& calls_;
  JobFinder finder_;
};

}  // namespace penstock
