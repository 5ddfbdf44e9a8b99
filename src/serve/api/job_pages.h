#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "serve/api/api_dependencies.h"
#include "serve/api/job_changes.h"
#include "serve/api/job_finder.h"
#include "serve/api/job_view.h"

namespace penstock {

/// The pages of jobs, and the events about their changes. For the thread that schedules.
class JobPages {
 public:
  /// `needs` must outlive it.
  explicit JobPages(const ApiDependencies& needs)
      : needs_(needs), finder_(needs.backend, needs.journal), changes_(needs.backend.sites()) {}

  /// Many jobs, in rows or columns.
  ApiResponse jobs(const ApiQuery& query, Time now) const;
  /// One job with its history.
  ApiResponse job(const ApiQuery& query, Time now) const;
  /// Pushes to the event feed which jobs have changed since the last call.
  void publish_changes(Time now);

 private:
  template <class List>
  void list_named(std::string_view ids, List& list) const;
  template <class List>
  void list_jobs(const ApiQuery& query, List& list) const;
  SchedulerSnapshot snapshot_at(Time now) const;
  /// The page of a job of the pool; nothing if a cluster has taken it, or if there is none.
  std::optional<ApiResponse> pooled_page(std::int64_t number, Time now) const;
  /// The row of a job: by the scheduler, else by the journal's entry of its end, else by its id
  /// alone.
  Result<nlohmann::ordered_json> row_of(const JobAt& at, Time now) const;
  void publish_site(std::size_t site, Time now);

  const ApiDependencies& needs_;
  JobFinder finder_;
  std::vector<JobChanges> changes_;  ///< by site
};

}  // namespace penstock
