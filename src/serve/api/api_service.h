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

/// What the daemon shows and lets be done. Pages of the present are made by the thread that
/// schedules, between two events; those of the journal by whoever asks. They are kept for a moment,
/// so that many readers cost no more than one.
class ApiService final : public ApiHandler {
 public:
  explicit ApiService(const ApiDependencies& needs);

  ApiResponse get(const ApiQuery& query) override;
  ApiResponse post(const ApiCommand& command) override { return commands_.run(command); }
  std::string metrics() override { return needs_.metrics.text(); }

  /// For the thread that schedules, every second: brings metrics and history up to date.
  void measure(Time now) { sites_.measure(now); }
  /// For the thread that schedules, every second: tells those who follow live which jobs have
  /// changed, each as it is now; of too many at once only how many.
  void publish_changes(Time now) { jobs_.publish_changes(now); }
  /// Nobody will make pages any more: those who wait are told so.
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
