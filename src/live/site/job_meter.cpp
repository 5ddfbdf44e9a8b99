#include "live/site/job_meter.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace penstock {
namespace {

constexpr Duration kBetweenBills = std::chrono::seconds(10);  // with whatever else is told
constexpr Duration kOldestBill = std::chrono::seconds(60);    // even if nothing else is
constexpr Duration kOldestProgress = std::chrono::seconds(30);
constexpr Duration kSettling = std::chrono::milliseconds(500);  // until GPUs work at their pace
constexpr double kMattersAtOnce = 0.1;   // share of what is left to do that cannot wait
constexpr double kMatters = 0.01;        // share of it that is told with whatever else is told
constexpr double kMattersSeconds = 1;    // less than that is never worth a word
constexpr double kAtOnceSeconds = 10;    // less than that can wait
constexpr double kBelievablePeaks = 2;   // of its type: what a GPU may be said to draw
constexpr std::size_t kMostReports = 8;  // of a run that are kept

/// By how many seconds of work a job is not where the scheduler believes it to be; 0 if that does
/// not matter.
double seconds_off(const TrackedJob& job) {
  if (!job.believed || job.progress.empty() || !(job.believed->per_second > 0)) return 0;
  const JobProgress& last = job.progress.back();
  if (last.when <= job.believed->since) return 0;
  const double expected = std::min(
      job.believed->done + job.believed->per_second * seconds(last.when - job.believed->since),
      job.work - job.done_before);
  const double off = std::abs(last.done - job.done_before - expected) / job.believed->per_second;
  const double left = std::max(job.work - last.done, 0.0) / job.believed->per_second;
  return off > std::max(kMattersSeconds, kMatters * left) ? off : 0;
}

}  // namespace

void JobMeter::keep_saved_work(TrackedJob& job) {
  if (job.kind.empty() || job.runs_seen.empty() || !job.runs_seen.back().done) return;
  job.kept = saved_in_runs(job);
  to_measure_.insert(job.seen.ref);
}

void JobMeter::on_progress(const std::string& ref, const JobProgress& progress) {
  TrackedJob* const found = site_.jobs.find(ref);
  if (found == nullptr) return;
  TrackedJob& job = *found;
  if (job.progress.size() >= kMostReports) job.progress.erase(job.progress.begin() + 1);
  job.progress.push_back(progress);
  if (!job.runs || !job.confirmed || job.kind.empty()) return;
  const double off = seconds_off(job);
  if (job.believed && off == 0) return;
  to_measure_.insert(ref);
  if (!job.believed) {
    due_at_ = std::min(due_at_, progress.when + kOldestProgress);
    return;
  }
  const double left = std::max(job.work - progress.done, 0.0) / job.believed->per_second;
  const bool at_once = off > std::max(kAtOnceSeconds, kMattersAtOnce * left);
  due_at_ = std::min(due_at_, progress.when + (at_once ? Duration::zero() : kOldestProgress));
}

/// Slurm tells whole seconds.
void JobMeter::on_run_seen(TrackedJob& job, Time now) {
  const Time least = std::min(job.billed.value_or(now), now);
  const Time most = now;
  job.working =
      std::clamp(job.seen.started.value_or(now) + std::chrono::milliseconds(500), least, most);
  job.settled = now + kSettling;
  job.metered.clear();
  if (job.id) to_measure_.insert(job.seen.ref);
}

/// The rest of its work is done from when it has read its checkpoint.
JobMeasured::Progress JobMeter::progress_at_start(TrackedJob& job) const {
  const double done = job.kept.value_or(saved_in_runs(job));
  const bool again = job.runs_seen.size() > 1;
  job.kept.reset();
  return {Work(done), *job.working + (again ? site_.options.restart : Duration::zero())};
}

/// What is to be told of its progress, if anything is; the scheduler will believe it.
std::optional<JobMeasured::Progress> JobMeter::new_progress(TrackedJob& job) const {
  std::optional<JobMeasured::Progress> news;
  if (job.working && (!job.kind.empty() || job.runs_seen.size() <= 1))
    news = progress_at_start(job);
  if (!job.kind.empty() && !job.progress.empty() &&
      (!job.believed || job.working || seconds_off(job) > 0))
    if (const JobProgress& last = job.progress.back(); !news || last.when > news->since)
      news = JobMeasured::Progress{Work(std::max(last.done - job.done_before, 0.0)), last.when};
  if (!news || job.kind.empty()) return news;
  const Speed speed = reported_speed(job).value_or(pace_.modelled(job).speed);
  job.believed = {news->done.value(), news->since, (speed * std::chrono::seconds(1)).value()};
  return news;
}

/// What its GPUs drew on average since that was last billed; nothing if that is not known better
/// than by models. Until it really ran they were idle.
std::optional<Watts> JobMeter::drew_since_bill(TrackedJob& job, Time now) const {
  const Duration since = now - job.billed.value_or(now);
  if (since <= Duration::zero()) return std::nullopt;
  const double gpus = gpu_count(job.where);
  std::optional<Watts> drew;
  const Agents* agents = site_.context.agents;
  const auto metered =
      agents == nullptr ? std::nullopt : agents->readings(job.held, {job.settled, now});
  if (metered && job.metered.empty()) drew = pace_.draw(job, now);
  if (metered && !job.metered.empty()) drew = Agents::draw_between(job.metered, *metered);
  if (drew && *drew > site_.type_of(job.where).peak * gpus * kBelievablePeaks) drew.reset();
  const bool newer =
      metered && (job.metered.empty() || metered->front().when > job.metered.front().when);
  if (newer) job.metered = *metered;
  if (!job.working) return drew;
  const Duration waited = std::clamp(*job.working - *job.billed, Duration::zero(), since);
  if (!drew && waited == Duration::zero()) return std::nullopt;
  const double before = draw_before_work(job, waited).value() * seconds(waited);
  const double after = drew.value_or(pace_.modelled(job).draw).value() * seconds(since - waited);
  return Watts((before + after) / seconds(since));
}

/// What GPUs drew until the job worked on them: nothing but idle ones, but for the run before,
/// which went on until it had stopped.
Watts JobMeter::draw_before_work(TrackedJob& job, Duration waited) const {
  const Watts idle = site_.type_of(job.where).idle * gpu_count(job.where);
  const auto drew = std::exchange(job.drew, std::nullopt);
  if (!drew || job.runs_seen.size() < 2 || waited == Duration::zero()) return idle;
  const Time stopped = job.runs_seen[job.runs_seen.size() - 2].ended.value_or(*job.billed);
  const Duration stopping = std::clamp(stopped - *job.billed, Duration::zero(), waited);
  return *drew * (seconds(stopping) / seconds(waited)) +
         idle * (seconds(waited - stopping) / seconds(waited));
}

std::optional<JobMeasured> JobMeter::measure(TrackedJob& job, Time now) const {
  JobMeasured event{.job = *job.id};
  if (!job.runs) {
    if (job.kept && !job.kind.empty()) event.progress = {Work(std::max(*job.kept, 0.0)), now};
    if (event.progress) job.kept.reset();
  } else if (job.confirmed) {
    event.drew = drew_since_bill(job, now);
    event.progress = new_progress(job);
    job.working.reset();
  }
  if (!event.progress && !event.drew) return std::nullopt;
  if (job.runs) job.billed = now;
  return event;
}

void JobMeter::on_end(TrackedJob& job, Time now) {
  if (!job.runs || !job.id || job.reported_in == site_.events.batch()) return;
  auto event = measure(job, now);
  if (!job.kind.empty() && job.work > 0 && job.seen.state == "completed") {
    if (!event) event = JobMeasured{.job = *job.id};
    event->progress = {Work(job.work - job.done_before), now};
  }
  if (event) of_ended_.emplace_back(*event);
}

bool JobMeter::has_agents() const {
  return site_.context.agents != nullptr && !site_.context.agents->reports().empty();
}

void JobMeter::update_due(Time now) {
  const bool metered = has_agents();
  if (metered && last_bills_ == Time{}) last_bills_ = now;
  if (metered && now >= last_bills_ + kOldestBill) due_at_ = std::min(due_at_, now);
  is_due_ = now >= due_at_;
}

/// Now and then all that run are billed by what agents have metered.
void JobMeter::add_running_jobs(Time now) {
  if (!has_agents() || now < last_bills_ + kBetweenBills) return;
  last_bills_ = now;
  for (const auto& [ref, job] : site_.jobs.all())
    if (job.id && job.runs && job.confirmed) to_measure_.insert(ref);
}

void JobMeter::move_into(Batch& batch) {
  add_running_jobs(batch.now);
  JobTable::Refs later;
  for (const std::string& ref : to_measure_) {
    TrackedJob* job = site_.jobs.find(ref);
    if (job == nullptr || !job->id) continue;
    if (job->reported_in == site_.events.batch() || site_.events.is_held_back(*job)) {
      later.insert(ref);
      continue;
    }
    if (const auto event = measure(*job, batch.now)) batch.events.emplace_back(*event);
  }
  to_measure_ = std::move(later);
  std::ranges::move(of_ended_, std::back_inserter(batch.events));
  of_ended_.clear();
  due_at_ = Time::max();
  is_due_ = false;
}

}  // namespace penstock
