#include "live/site/pool_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/json/json_at.h"
#include "live/bridge/bridge_answer.h"

namespace penstock {

void PoolLaunches::launch(PooledJob& job, const Start& start, const Cause& cause) {
  site_.mirror.take(start.where);
  launches_[job.number] = {
      .number = job.number,
      .id = start.job,
      .where = start.where,
      .clock_mhz = start.knobs.clock_mhz.value_or(site_.type_of(start.where).max_clock_mhz),
      .since = cause.when};
  job.at = site_.options.name;
  commands_.submit(job.submission, cause,
                   [this, number = job.number, now = cause.when](const nlohmann::json& body) {
                     on_reply(number, body, now);
                   });
}

void PoolLaunches::on_reply(std::int64_t number, const nlohmann::json& body, Time now) {
  const auto found = launches_.find(number);
  if (found == launches_.end()) return;  // it was shown before
  if (body.is_null() || error_code(body) == "unreachable")
    return;  // nobody knows: it is looked for
  if (!is_fine(body)) return give_back(number, error_text(body), now);
  found->second.job = whole_at(body, "job");
  poller_.ask_about(std::to_string(*found->second.job));
}

/// The cluster did not take it: it waits for a site again.
void PoolLaunches::give_back(std::int64_t number, const std::string& why, Time now) {
  const auto found = launches_.find(number);
  if (found == launches_.end()) return;
  site_.events.add(JobInterrupted{found->second.id, Work{}});
  site_.mirror.give_back(found->second.where);
  launches_.erase(found);
  if (PooledJob* job = site_.context.pool.find(number)) job->at.reset();
  site_.journal.note(now, "not taken",
                     {{"pool", number},
                      {"text", fmt::format("job {} of the pool was not taken: {}", number, why)}});
}

std::vector<std::int64_t> PoolLaunches::check_overdue(Time now) {
  std::vector<std::int64_t> untaken;
  std::vector<std::int64_t> gone;
  for (const auto& [number, launch] : launches_) {
    if (now - launch.since <= site_.options.start_timeout || !poller_.answers()) continue;
    if (!launch.job)
      untaken.push_back(number);
    else if (!site_.shown.all().contains(*launch.job))
      gone.push_back(*launch.job);
  }
  for (const std::int64_t number : untaken) give_back(number, "Slurm does not show it", now);
  return gone;
}

std::optional<std::int64_t> PoolLaunches::number_of(const SlurmJob& seen) const {
  if (!site_.options.account.empty() && seen.user != site_.options.account) return std::nullopt;
  return pool_number(seen.comment);
}

const PoolLaunches::Launch* PoolLaunches::find(const SlurmJob& seen) const {
  for (const auto& [number, launch] : launches_)
    if (launch.job == seen.number) return &launch;
  if (launches_.empty()) return nullptr;
  const auto number = number_of(seen);
  const auto found = number ? launches_.find(*number) : launches_.end();
  return found == launches_.end() || found->second.job ? nullptr : &found->second;
}

void PoolLaunches::remove(std::int64_t number) {
  site_.context.pool.remove(number);
  launches_.erase(number);
}

}  // namespace penstock
