#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "serve/api/api_commands.h"
#include "serve/api/api_dependencies.h"
#include "serve/api/job_pages.h"
#include "serve/api/pending_request.h"
#include "serve/api/site_pages.h"

namespace penstock {

/// Answers the requests of the API. The thread that schedules makes the pages of the present,
/// between two events; the calling thread makes those of the journal. Pages are cached for a
/// moment, so that many readers cost no more than one.
class ApiService final : public ApiHandler {
 public:
  explicit ApiService(const ApiDependencies& needs);

  ApiResponse get(const ApiQuery& query) override;
  ApiResponse post(const ApiCommand& command) override { return commands_.run(command); }
  std::string metrics() override { return needs_.metrics.text(); }

  /// Updates metrics and history. Called every second by the thread that schedules.
  void measure(Time now) { sites_.measure(now); }
  /// Pushes to the event feed which jobs have changed, each as it is now, or only how many if there
  /// are too many. Called every second by the thread that schedules.
  void publish_changes(Time now) { jobs_.publish_changes(now); }
  /// Ends all waiting requests with an error: no page will be made any more.
  void close() { calls_.close(); }

 private:
  struct KeptPage {
    std::chrono::steady_clock::time_point made{};
    ApiResponse response{};
  };
  ApiResponse make_page(const ApiQuery& query);
  /// By the thread that schedules.
  ApiResponse present_page(const ApiQuery& query, Time now) const;
  ApiResponse decisions(const ApiQuery& query);

  ApiDependencies needs_;
  SchedulerCalls calls_;
  SitePages sites_;
  JobPages jobs_;
  ApiCommands commands_;
  std::mutex mutex_;
  std::map<std::string, KeptPage, std::less<>> kept_;  ///< guarded by mutex_
};

}  // namespace penstock
