// Jobs of the pool: given to Penstock, submitted to a cluster when they are to start there.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/bridge/json_at.h"
#include "live/site/slurm_site.h"

namespace penstock {

using nlohmann::json;

namespace {

constexpr Duration kBetweenCancels = std::chrono::seconds(15);

}  // namespace

void SlurmSite::launch(PooledJob& job, const Start& start, const std::string& reason, Time now) {
  mirror_.take(start.where);
  const GpuType& type = around_.cluster.type(around_.cluster.node(start.where.front().first));
  launches_[job.number] = {.id = start.job,
                           .where = start.where,
                           .clock_mhz = start.knobs.clock_mhz.value_or(type.max_clock_mhz),
                           .since = now};
  job.at = options_.name;
  submit(job.members, reason, now,
         [this, number = job.number, now](const json& body) { hear_launched(number, body, now); });
}

void SlurmSite::hear_launched(std::int64_t number, const json& body, Time now) {
  const auto found = launches_.find(number);
  if (found == launches_.end()) return;  // it was shown before
  if (body.is_null() || error_code(body) == "unreachable")
    return;  // nobody knows: it is looked for
  if (!is_fine(body)) return give_back(number, error_text(body), now);
  found->second.job = whole_at(body, "job");
  ask_about(std::to_string(*found->second.job));
}

/// The cluster did not take it: it waits for a site again.
void SlurmSite::give_back(std::int64_t number, const std::string& why, Time now) {
  const auto found = launches_.find(number);
  if (found == launches_.end()) return;
  events_.emplace_back(JobInterrupted{found->second.id, Work{}});
  mirror_.give_back(found->second.where);
  launches_.erase(found);
  if (PooledJob* job = around_.pool.find(number)) job->at.reset();
  note(now, nullptr, "not taken",
       {{"pool", number},
        {"text", fmt::format("job {} of the pool was not taken: {}", number, why)}});
}

/// Whom Slurm has taken is never given back: there would be two of it.
void SlurmSite::watch_launches(Time now) {
  std::vector<std::int64_t> untaken;
  std::vector<std::int64_t> gone;
  for (const auto& [number, launch] : launches_) {
    if (now - launch.since <= options_.start_patience || !answers_well_) continue;
    if (!launch.job)
      untaken.push_back(number);
    else if (!shown_.all().contains(*launch.job))
      gone.push_back(*launch.job);
  }
  for (const std::int64_t number : untaken) give_back(number, "Slurm does not show it", now);
  for (const std::int64_t number : gone) {
    const std::string ref = std::to_string(number);
    TrackedJob& job = jobs_[ref];
    job.seen.number = number;
    job.seen.ref = ref;
    job.gone = true;
    compare(job, now);
  }
}

/// What anybody may write into a comment counts only if we have submitted the job.
std::optional<std::int64_t> SlurmSite::number_in_pool(const SlurmJob& seen) const {
  if (!options_.account.empty() && seen.user != options_.account) return std::nullopt;
  return pool_number(seen.comment);
}

SlurmSite::Launches::iterator SlurmSite::launch_of(const SlurmJob& seen) {
  const auto taken = std::ranges::find_if(
      launches_, [&](const auto& each) { return each.second.job == seen.number; });
  if (taken != launches_.end() || launches_.empty()) return taken;
  const auto number = number_in_pool(seen);
  const auto found = number ? launches_.find(*number) : launches_.end();
  return found != launches_.end() && found->second.job ? launches_.end() : found;
}

/// A job that we submitted ourselves is known to the scheduler already, and runs as it believes. If
/// it cannot be governed, it is left to Slurm.
void SlurmSite::adopt(Launches::iterator launched, TrackedJob& job, Time now) {
  const Launch launch = launched->second;
  const bool is_over = job.gone || job.seen.phase == SlurmJob::Phase::ended;
  const bool keeps = !is_over && !may_be_told(job, now);
  if (keeps && now - launch.since <= options_.start_patience) return;
  note(
      now, &job, "placed",
      {{"pool", launched->first}, {"text", fmt::format("is job {} of the pool", launched->first)}});
  around_.pool.remove(launched->first);
  launches_.erase(launched);
  job.id = launch.id;
  by_id_[launch.id.index] = job.seen.ref;
  job.where = launch.where;  // the mirror has it taken
  job.runs = true;
  job.was_started = true;
  job.clock_mhz = launch.clock_mhz;
  job.billed = launch.since;
  if (is_over) return tell_interrupted(job, 0, now);
  const auto made = keeps ? "somebody else keeps it waiting" : governed(job);
  const auto* why = std::get_if<std::string>(&made);
  if (why == nullptr) return order_start(job, "it was submitted to be started", now);
  job.handed_over = true;
  note(now, &job, "left to Slurm", {{"text", "left to Slurm: " + *why}});
  tell_interrupted(job, 0, now);
}

/// A job of the pool that an earlier life of ours submitted, or that came when nobody waited for it
/// any more. Of two the one that was not waited for is cancelled; false if this one may stay.
bool SlurmSite::is_second_copy(TrackedJob& job, Time now) {
  const auto number = number_in_pool(job.seen);
  PooledJob* pooled = number ? around_.pool.find(*number) : nullptr;
  if (pooled == nullptr) return false;
  if (pooled->at && *pooled->at != options_.name) {
    if (now < job.op.retry_at.value_or(now)) return true;
    job.op.retry_at = now + kBetweenCancels;
    (void)cancel(job.seen.ref, "it was submitted elsewhere meanwhile", now);
    return true;
  }
  note(now, &job, "placed",
       {{"pool", *number}, {"text", fmt::format("is job {} of the pool", *number)}});
  if (pooled->id) events_.emplace_back(JobWithdrawn{*pooled->id});
  around_.pool.remove(*number);
  return false;
}

}  // namespace penstock
