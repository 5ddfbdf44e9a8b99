// Jobs of the pool: given to Penstock, submitted to a cluster when they are to start there.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "live/json_at.h"
#include "live/slurm_site.h"

namespace penstock {

using nlohmann::json;

void SlurmSite::launch(PooledJob& job, const Start& start, const std::string& reason, Time now) {
  mirror_.take(start.where);
  const GpuType& type = around_.cluster.type(around_.cluster.node(start.where.front().first));
  launches_[job.number] = {.id = start.job,
                           .where = start.where,
                           .clock_mhz = start.knobs.clock_mhz.value_or(type.max_clock_mhz),
                           .since = now};
  job.at = options_.name;
  submit(job.members, reason, now, [this, number = job.number, now](const json& body) {
    if (body.is_null()) return;  // nobody knows: it is looked for
    if (is_fine(body)) return ask_about(std::to_string(whole_at(body, "job")));
    give_back(number, error_text(body), now);
  });
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

void SlurmSite::watch_launches(Time now) {
  std::vector<std::int64_t> late;
  for (const auto& [number, launch] : launches_)
    if (now - launch.since > options_.start_patience && answers_well_) late.push_back(number);
  for (const std::int64_t number : late) give_back(number, "Slurm does not show it", now);
}

/// A job that we submitted ourselves is known to the scheduler already.
bool SlurmSite::is_from_pool(TrackedJob& job, Time now) {
  const auto number = pool_number(job.seen.comment);
  if (!number) return false;
  const auto found = launches_.find(*number);
  note(now, &job, "placed",
       {{"pool", *number}, {"text", fmt::format("is job {} of the pool", *number)}});
  if (found == launches_.end()) {  // it was submitted in an earlier life of ours
    around_.pool.remove(*number);
    return false;
  }
  const Launch launch = std::move(found->second);
  launches_.erase(found);
  around_.pool.remove(*number);
  job.id = launch.id;
  by_id_[launch.id.index] = job.seen.ref;
  job.where = launch.where;  // the mirror has it taken
  job.runs = true;
  job.was_started = true;
  job.clock_mhz = launch.clock_mhz;
  job.billed = launch.since;
  order_start(job, "it was submitted to be started", now);
  return true;
}

}  // namespace penstock
