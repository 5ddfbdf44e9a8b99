// The page of jobs, and the news of them.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "serve/api/api.h"
#include "serve/api/api_service.h"
#include "serve/api/job_columns.h"
#include "serve/api/job_view.h"
#include "serve/api/pooled_job.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kDefaultJobRows = 1000;
constexpr std::int64_t kMostJobRows = 100'000;
constexpr std::size_t kMostTold = 200;  ///< changed jobs of a site at a time

/// Which jobs are wanted, and how many were found.
struct WantedJobs {
  WantedJobs(const ApiLook& look, std::int64_t usual)
      : state(text_in(look, "state")),
        user(text_in(look, "user")),
        after(whole_in(look, "after", 0, std::int64_t{1} << 50)),
        limit(whole_in(look, "limit", usual, kMostJobRows)) {}

  bool wants(const TrackedJob& job) const {
    return (state.empty() || state_word(job) == state) && (user.empty() || job.seen.user == user);
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
    shown.push_back(job_json(job, site, sight));
  }
  void add(const PooledJob& job) { shown.push_back(pooled_json(job, sight)); }

  JobSight sight{};
  WantedJobs wanted;
  ordered_json shown = ordered_json::array();
};

/// The same as columns.
struct JobLists {
  void add(const TrackedJob& job, const SlurmSite& site) { columns.add(job, site, sight); }
  void add(const PooledJob& job) { columns.add(job, sight); }

  JobSight sight{};
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
void Desk::list_named(std::string_view ids, List& list) const {
  for (const auto part : std::views::split(ids, ',')) {
    const std::string id(part.begin(), part.end());
    const auto found = find(id);
    const SlurmSite* site = found ? &around_.backend.site(found->site) : nullptr;
    const TrackedJob* job = site != nullptr ? site->find(found->ref) : nullptr;
    const auto number = pooled_in(id);
    const PooledJob* pooled = number ? around_.backend.pool().find(*number) : nullptr;
    if (job != nullptr && list.wanted.wants(*job) && list.wanted.takes_one_more())
      list.add(*job, *site);
    else if (pooled != nullptr && list.wanted.wants_pooled() && list.wanted.takes_one_more())
      list.add(*pooled);
  }
}

template <class List>
void Desk::list_jobs(const ApiLook& look, List& list) const {
  if (look.parameters.contains("ids")) return list_named(text_in(look, "ids"), list);
  const std::string only = text_in(look, "site");
  for (std::size_t i = 0; i < around_.backend.sites(); ++i)
    if (only.empty() || around_.backend.site(i).options().name == only)
      list_site(around_.backend.site(i), list);
  if (!only.empty() || !list.wanted.wants_pooled()) return;
  for (const auto& [number, pooled] : around_.backend.pool().jobs())
    if (list.wanted.takes_one_more()) list.add(pooled);
}

JobSight Desk::sight_at(Time now) const {
  return {now, around_.watcher.state(), &around_.watcher.waits()};
}

ApiAnswer Desk::jobs(const ApiLook& look, Time now) const {
  JobSight sight = sight_at(now);
  if (text_in(look, "format") == "columns") {
    JobLists list{.sight = std::move(sight), .wanted = {look, kMostJobRows}};
    list_jobs(look, list);
    return {200, list.columns.text(list.wanted.total, around_.feed.last_id())};
  }
  JobRows list{.sight = std::move(sight), .wanted = {look, kDefaultJobRows}};
  list_jobs(look, list);
  return as_answer({{"total", list.wanted.total}, {"jobs", list.shown}});
}

void Desk::tell_changes(Time now) {
  for (std::size_t i = 0; i < marks_.size(); ++i) tell_changes(i, now);
}

void Desk::tell_changes(std::size_t index, Time now) {
  const SlurmSite& site = around_.backend.site(index);
  const std::string& name = site.options().name;
  const JobChanges::News news = marks_[index].changes.look(site);
  const auto tell = [&](const char* event, const ordered_json& line) {
    around_.feed.push(event, as_answer(line).body);
  };
  if (news.count() > kMostTold)
    return tell("jobs", {{"when", format_time(now)}, {"site", name}, {"changed", news.count()}});
  const JobSight sight = sight_at(now);
  for (const TrackedJob* job : news.changed) {
    ordered_json row = job_json(*job, site, sight);
    tell("job", {{"when", format_time(now)},
                 {"id", row["id"]},
                 {"state", row["state"]},
                 {"row", std::move(row)}});
  }
  for (const std::string& ref : news.gone)
    tell("job",
         {{"when", format_time(now)}, {"id", fmt::format("{}/{}", name, ref)}, {"state", "ended"}});
}

}  // namespace penstock
