#include "serve/api/job_pages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ranges>

#include "serve/api/job_columns.h"
#include "serve/api/journal_pages.h"
#include "serve/api/pooled_job.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kDefaultJobRows = 1000;
constexpr std::int64_t kMostJobRows = 100'000;
constexpr std::size_t kMostPublished = 200;  ///< changed jobs of a site at a time

/// Which jobs are wanted, and how many were found.
struct WantedJobs {
  WantedJobs(const ApiQuery& query, std::int64_t usual)
      : state(text_parameter(query, "state")),
        user(text_parameter(query, "user")),
        after(int_parameter(query, "after", 0, std::int64_t{1} << 50)),
        limit(int_parameter(query, "limit", usual, kMostJobRows)) {}

  bool wants(const TrackedJob& job) const {
    return (state.empty() || job_state_name(job) == state) &&
           (user.empty() || job.seen.user == user);
  }
  bool wants_pooled() const { return (state.empty() || state == "queued") && user.empty(); }
  /// Counts one more; true if it is to be shown.
  bool takes_one_more() {
    const std::int64_t place = total++ - after;
    return place >= 0 && place < limit;
  }

  std::string state;
  std::string user;
  std::int64_t after;
  std::int64_t limit;
  std::int64_t total = 0;
};

/// Jobs as objects.
struct JobRows {
  void add(const TrackedJob& job, const SlurmSite& site) {
    shown.push_back(job_json(job, site, snapshot));
  }
  void add(const PooledJob& job) { shown.push_back(pooled_json(job, snapshot)); }

  SchedulerSnapshot snapshot{};
  WantedJobs wanted;
  ordered_json shown = ordered_json::array();
};

/// Jobs as columns.
struct JobLists {
  void add(const TrackedJob& job, const SlurmSite& site) { columns.add(job, site, snapshot); }
  void add(const PooledJob& job) { columns.add(job, snapshot); }

  SchedulerSnapshot snapshot{};
  WantedJobs wanted;
  JobColumns columns{};
};

template <class List>
void list_site(const SlurmSite& site, List& list) {
  for (const auto& [ref, job] : site.jobs())
    if (list.wanted.wants(job) && list.wanted.takes_one_more()) list.add(job, site);
}

}  // namespace

template <class List>
void JobPages::list_named(std::string_view ids, List& list) const {
  for (const auto part : std::views::split(ids, ',')) {
    const std::string id(part.begin(), part.end());
    const auto found = finder_.find(id);
    const SlurmSite* site = found ? &needs_.backend.site(found->site) : nullptr;
    const TrackedJob* job = site != nullptr ? site->find(found->ref) : nullptr;
    const auto number = parse_pool_id(id);
    const PooledJob* pooled = number ? needs_.backend.pool().find(*number) : nullptr;
    if (job != nullptr && list.wanted.wants(*job) && list.wanted.takes_one_more())
      list.add(*job, *site);
    else if (pooled != nullptr && list.wanted.wants_pooled() && list.wanted.takes_one_more())
      list.add(*pooled);
  }
}

template <class List>
void JobPages::list_jobs(const ApiQuery& query, List& list) const {
  if (query.parameters.contains("ids")) return list_named(text_parameter(query, "ids"), list);
  const std::string only = text_parameter(query, "site");
  for (std::size_t i = 0; i < needs_.backend.sites(); ++i)
    if (only.empty() || needs_.backend.site(i).options().name == only)
      list_site(needs_.backend.site(i), list);
  if (!only.empty() || !list.wanted.wants_pooled()) return;
  for (const auto& [number, pooled] : needs_.backend.pool().jobs())
    if (list.wanted.takes_one_more()) list.add(pooled);
}

SchedulerSnapshot JobPages::snapshot_at(Time now) const {
  return {now, needs_.observer.state(), &needs_.observer.waits()};
}

ApiResponse JobPages::jobs(const ApiQuery& query, Time now) const {
  SchedulerSnapshot snapshot = snapshot_at(now);
  if (text_parameter(query, "format") == "columns") {
    JobLists list{.snapshot = std::move(snapshot), .wanted = {query, kMostJobRows}};
    list_jobs(query, list);
    return {200, list.columns.text(list.wanted.total, needs_.feed.last_id())};
  }
  JobRows list{.snapshot = std::move(snapshot), .wanted = {query, kDefaultJobRows}};
  list_jobs(query, list);
  return json_response({{"total", list.wanted.total}, {"jobs", list.shown}});
}

void JobPages::publish_changes(Time now) {
  for (std::size_t i = 0; i < changes_.size(); ++i) publish_site(i, now);
}

void JobPages::publish_site(std::size_t index, Time now) {
  const SlurmSite& site = needs_.backend.site(index);
  const std::string& name = site.options().name;
  const JobChanges::Changes changes = changes_[index].update(site);
  const auto push = [&](const char* event, const ordered_json& line) {
    needs_.feed.push(event, json_response(line).body);
  };
  if (changes.count() > kMostPublished)
    return push("jobs", {{"when", format_time(now)}, {"site", name}, {"changed", changes.count()}});
  const SchedulerSnapshot snapshot = snapshot_at(now);
  for (const TrackedJob* job : changes.changed) {
    ordered_json row = job_json(*job, site, snapshot);
    push("job", {{"when", format_time(now)},
                 {"id", row["id"]},
                 {"state", row["state"]},
                 {"row", std::move(row)}});
  }
  for (const std::string& ref : changes.gone)
    push("job",
         {{"when", format_time(now)}, {"id", fmt::format("{}/{}", name, ref)}, {"state", "ended"}});
}

std::optional<ApiResponse> JobPages::pooled_page(std::int64_t number, Time now) const {
  const auto entries = needs_.journal.pool_entries(number);
  if (!entries) return api_error(503, entries.error().message);
  const PooledJob* waits = needs_.backend.pool().find(number);
  const bool taken_back = !entries->empty() && entries->back().what == "unpooled";
  if (waits == nullptr && !taken_back) return std::nullopt;
  const ordered_json over{{"id", fmt::format("pool/{}", number)}, {"state", "ended"}};
  return json_response({{"job", waits != nullptr ? pooled_json(*waits, snapshot_at(now)) : over},
                        {"life", life_json(*entries, {})}});
}

Result<ordered_json> JobPages::row_of(const JobAt& at, Time now) const {
  const SlurmSite& site = needs_.backend.site(at.site);
  const TrackedJob* job = site.find(at.ref);
  if (job != nullptr && job_state_name(*job) != "ended")
    return job_json(*job, site, snapshot_at(now));
  const std::int64_t number = job_number(site, at.ref);
  const auto ended = ended_entry(needs_.journal, site.options().name, number);
  if (!ended) return ended.error();
  if (*ended)
    if (auto row = ended_row(**ended, needs_.scenario.currency)) return *std::move(row);
  if (job != nullptr) return job_json(*job, site, snapshot_at(now));
  return ordered_json{{"id", site.options().name + "/" + at.ref},
                      {"site", site.options().name},
                      {"job", number},
                      {"ref", at.ref},
                      {"state", "ended"}};
}

ApiResponse JobPages::job(const ApiQuery& query, Time now) const {
  if (const auto number = parse_pool_id(query.id))
    if (auto page = pooled_page(*number, now)) return *std::move(page);
  const auto found = finder_.find(query.id);
  if (!found) return api_error(404, found.error().message);
  const SlurmSite& site = needs_.backend.site(found->site);
  const auto life = life_json(needs_.journal, site.options().name, job_number(site, found->ref));
  if (!life) return api_error(503, life.error().message);
  if (site.find(found->ref) == nullptr && life->empty())
    return api_error(404, "there is no job '" + query.id + "', and the journal knows of none");
  const auto row = row_of(*found, now);
  if (!row) return api_error(503, row.error().message);
  return json_response({{"job", *row}, {"life", *life}});
}

}  // namespace penstock
