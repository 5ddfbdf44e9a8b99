// What is measured of jobs: how far they are, and what their GPUs draw.
#include <algorithm>
#include <iterator>

#include "live/site/slurm_site.h"

namespace penstock {
namespace {

constexpr Duration kBetweenBills = std::chrono::seconds(10);  // with whatever else is told
constexpr Duration kOldestBill = std::chrono::seconds(60);    // even if nothing else is
constexpr Duration kOldestProgress = std::chrono::seconds(30);
constexpr Duration kSettling = std::chrono::milliseconds(500);  // until GPUs work at their pace
constexpr double kMattersAtOnce = 0.1;                          // of what is left to do
constexpr double kMatters = 0.01;       // the same, with whatever else is told
constexpr double kMattersSeconds = 1;   // less than that is never worth a word
constexpr double kAtOnceSeconds = 10;   // the same of what cannot wait
constexpr double kBelievablePeaks = 2;  // of its type: what a GPU may be said to draw

}  // namespace

std::optional<Speed> reported_speed(const TrackedJob& job) {
  if (job.progress.size() < 2) return std::nullopt;
  const JobProgress& first = job.progress.front();
  const JobProgress& last = job.progress.back();
  const Duration passed = last.when - first.when;
  if (passed < std::chrono::seconds(2) || !(last.done > first.done)) return std::nullopt;
  return Work(last.done - first.done) / passed;
}

/// As models say it gets on where it is. The work of rigid jobs is milliseconds.
Pace SlurmSite::modelled(const TrackedJob& job) const {
  const Node& node = around_.cluster.node(job.where.front().first);
  const GpuType& type = around_.cluster.type(node);
  const Pace rigid{Speed(1), type.peak * gpu_count(job.where)};
  if (job.kind.empty()) return rigid;
  const Wish::Bounds bounds = job.wish.gpus.value_or(Wish::Bounds{job.asked, job.asked});
  const double batch = job.wish.batch.value_or(around_.beliefs.usual_batch(job.kind, job.asked));
  const auto row = around_.beliefs.row({job.kind, bounds.least, bounds.most, batch});
  const Profile* profile = row ? around_.beliefs.models().find(*row, node.type) : nullptr;
  if (profile == nullptr) return rigid;
  const double clock = type.max_clock_mhz > 0 && job.clock_mhz > 0
                           ? static_cast<double>(job.clock_mhz) / type.max_clock_mhz
                           : 1;
  const Config config{.gpus = gpu_count(job.where),
                      .nodes = node_count(job.where, around_.cluster),
                      .batch = batch,
                      .clock = clock};
  return {Speed(throughput(*profile, config) / 1e3), draw(*profile, config)};
}

/// Measured if it can be, modelled otherwise.
Watts SlurmSite::draw_of(const TrackedJob& job, Time now) const {
  const auto drawn =
      around_.agents == nullptr ? std::nullopt : around_.agents->draw(job.held, {job.settled, now});
  return drawn.value_or(modelled(job).draw);
}

/// The scheduler keeps the bill of its present run.
void SlurmSite::watch_run(TrackedJob& job, const LiveRun::Watched& watched) {
  if (job.runs_seen.empty() || job.runs_seen.back().ended || job.runs_seen.back().watched) return;
  job.runs_seen.back().watched = watched;
}

/// Of one of its GPUs, where it is or was last.
Watts SlurmSite::usual_draw(const TrackedJob& job) const {
  if (!job.where.empty()) return modelled(job).draw * (1.0 / gpu_count(job.where));
  if (job.seen.nodes.empty()) return {};
  const auto node = mirror_.find(job.seen.nodes.front());
  return node ? around_.cluster.type(around_.cluster.node(*node)).peak : Watts{};
}

bool SlurmSite::is_elastic(const TrackedJob& job) {
  return job.wish.gpus && job.wish.gpus->least < job.wish.gpus->most;
}

bool SlurmSite::saves(const TrackedJob& job) {
  return job.wish.checkpoint || is_elastic(job);
}

/// What its earlier runs have saved, since the scheduler was told of it.
double SlurmSite::done_in_runs(const TrackedJob& job) {
  double done = 0;
  if (!saves(job)) return done;
  for (const LiveRun& run : job.runs_seen)
    if (run.ended && run.done) done = std::max(done, *run.done - job.done_before);
  return done;
}

/// The scheduler is told at the next opportunity: while it waits, or once it runs again.
void SlurmSite::keep_what_is_saved(TrackedJob& job) {
  if (job.kind.empty() || job.runs_seen.empty() || !job.runs_seen.back().done) return;
  job.kept = done_in_runs(job);
  to_measure_.insert(job.seen.ref);
}

void SlurmSite::progress(const std::string& ref, const JobProgress& told) {
  const auto found = jobs_.find(ref);
  if (found == jobs_.end()) return;
  TrackedJob& job = found->second;
  constexpr std::size_t kMost = 8;
  if (job.progress.size() >= kMost) job.progress.erase(job.progress.begin() + 1);
  job.progress.push_back(told);
  if (!job.runs || !job.confirmed || job.kind.empty()) return;
  const double off = seconds_off(job);
  if (job.believed && off == 0) return;
  to_measure_.insert(ref);
  if (!job.believed) {
    measure_by_ = std::min(measure_by_, told.when + kOldestProgress);
    return;
  }
  const double left = std::max(job.work - told.done, 0.0) / job.believed->per_second;
  const bool at_once = off > std::max(kAtOnceSeconds, kMattersAtOnce * left);
  measure_by_ = std::min(measure_by_, told.when + (at_once ? Duration::zero() : kOldestProgress));
}

/// By how many seconds of work a job is not where the scheduler believes it to be; 0 if that does
/// not matter.
double SlurmSite::seconds_off(const TrackedJob& job) const {
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

/// A run of it is seen for the first time. Slurm tells whole seconds.
void SlurmSite::seen_working(TrackedJob& job, Time now) {
  const Time least = std::min(job.billed.value_or(now), now);
  const Time most = now;
  job.working =
      std::clamp(job.seen.started.value_or(now) + std::chrono::milliseconds(500), least, most);
  job.settled = now + kSettling;
  job.metered.clear();
  if (job.id) to_measure_.insert(job.seen.ref);
}

/// The rest of its work is done from when it has read its checkpoint.
JobMeasured::Progress SlurmSite::progress_at_start(TrackedJob& job) const {
  const double done = job.kept.value_or(done_in_runs(job));
  const bool again = job.runs_seen.size() > 1;
  job.kept.reset();
  return {Work(done), *job.working + (again ? options_.restart : Duration::zero())};
}

/// What is to be told of its progress, if anything is.
std::optional<JobMeasured::Progress> SlurmSite::news_of_progress(TrackedJob& job) {
  std::optional<JobMeasured::Progress> news;
  if (job.working && (!job.kind.empty() || job.runs_seen.size() <= 1))
    news = progress_at_start(job);
  if (!job.kind.empty() && !job.progress.empty() &&
      (!job.believed || job.working || seconds_off(job) > 0))
    if (const JobProgress& last = job.progress.back(); !news || last.when > news->since)
      news = JobMeasured::Progress{Work(std::max(last.done - job.done_before, 0.0)), last.when};
  if (!news || job.kind.empty()) return news;
  const Speed speed = reported_speed(job).value_or(modelled(job).speed);
  job.believed = {news->done.value(), news->since, (speed * std::chrono::seconds(1)).value()};
  return news;
}

/// What its GPUs drew on average since that was last billed; nothing if that is not known better
/// than by models. Until it really ran they were idle.
std::optional<Watts> SlurmSite::drew_since(TrackedJob& job, Time now) {
  const Duration since = now - job.billed.value_or(now);
  if (since <= Duration::zero()) return std::nullopt;
  const GpuType& type = around_.cluster.type(around_.cluster.node(job.where.front().first));
  const double gpus = gpu_count(job.where);
  std::optional<Watts> drew;
  const auto metered = around_.agents == nullptr
                           ? std::nullopt
                           : around_.agents->readings(job.held, {job.settled, now});
  if (metered && job.metered.empty()) drew = draw_of(job, now);
  if (metered && !job.metered.empty()) drew = Agents::draw_between(job.metered, *metered);
  if (drew && *drew > type.peak * gpus * kBelievablePeaks) drew.reset();
  const bool newer =
      metered && (job.metered.empty() || metered->front().when > job.metered.front().when);
  if (newer) job.metered = *metered;
  if (!job.working) return drew;
  const Duration waited = std::clamp(*job.working - *job.billed, Duration::zero(), since);
  if (!drew && waited == Duration::zero()) return std::nullopt;
  const double before = waited_draw(job, waited).value() * seconds(waited);
  const double after = drew.value_or(modelled(job).draw).value() * seconds(since - waited);
  return Watts((before + after) / seconds(since));
}

/// What GPUs drew until the job worked on them: nothing but idle ones, but for the run before,
/// which went on until it had stopped.
Watts SlurmSite::waited_draw(TrackedJob& job, Duration waited) const {
  const GpuType& type = around_.cluster.type(around_.cluster.node(job.where.front().first));
  const Watts idle = type.idle * gpu_count(job.where);
  const auto drew = std::exchange(job.drew, std::nullopt);
  if (!drew || job.runs_seen.size() < 2 || waited == Duration::zero()) return idle;
  const Time stopped = job.runs_seen[job.runs_seen.size() - 2].ended.value_or(*job.billed);
  const Duration stopping = std::clamp(stopped - *job.billed, Duration::zero(), waited);
  return *drew * (seconds(stopping) / seconds(waited)) +
         idle * (seconds(waited - stopping) / seconds(waited));
}

std::optional<JobMeasured> SlurmSite::measured(TrackedJob& job, Time now) {
  JobMeasured event{.job = *job.id};
  if (!job.runs) {
    if (job.kept && !job.kind.empty()) event.progress = {Work(std::max(*job.kept, 0.0)), now};
    if (event.progress) job.kept.reset();
  } else if (job.confirmed) {
    event.drew = drew_since(job, now);
    event.progress = news_of_progress(job);
    job.working.reset();
  }
  if (!event.progress && !event.drew) return std::nullopt;
  if (job.runs) job.billed = now;
  return event;
}

/// The last words about a job that ends in this batch.
void SlurmSite::measure_end(TrackedJob& job, Time now) {
  if (!job.runs || !job.id || job.told_in == batch_) return;
  auto event = measured(job, now);
  if (!job.kind.empty() && job.work > 0 && job.seen.state == "completed") {
    if (!event) event = JobMeasured{.job = *job.id};
    event->progress = {Work(job.work - job.done_before), now};
  }
  if (event) last_measured_.emplace_back(*event);
}

/// Nobody is woken for it unless it has waited for long, or matters at once.
void SlurmSite::measure_when_due(Time now) {
  const bool metered = around_.agents != nullptr && !around_.agents->reports().empty();
  if (metered && last_bills_ == Time{}) last_bills_ = now;
  if (metered && now >= last_bills_ + kOldestBill) measure_by_ = std::min(measure_by_, now);
  measure_now_ = now >= measure_by_;
}

/// Now and then all that run are billed by what agents have metered.
void SlurmSite::bring_bills_up_to_date(Time now) {
  const bool metered = around_.agents != nullptr && !around_.agents->reports().empty();
  if (!metered || now < last_bills_ + kBetweenBills) return;
  last_bills_ = now;
  for (const auto& [id, ref] : by_id_)
    if (const TrackedJob& job = jobs_.at(ref); job.runs && job.confirmed) to_measure_.insert(ref);
}

/// Before everything else: of jobs as the last batch left them.
void SlurmSite::tell_measured(Batch& batch) {
  bring_bills_up_to_date(batch.now);
  std::set<std::string, std::less<>> later;
  for (const std::string& ref : to_measure_) {
    const auto found = jobs_.find(ref);
    if (found == jobs_.end() || !found->second.id) continue;
    TrackedJob& job = found->second;
    if (job.told_in == batch_ || was_told_apart(job)) {
      later.insert(ref);
      continue;
    }
    if (const auto event = measured(job, batch.now)) batch.events.emplace_back(*event);
  }
  to_measure_ = std::move(later);
  std::ranges::move(last_measured_, std::back_inserter(batch.events));
  last_measured_.clear();
  measure_by_ = Time::max();
  measure_now_ = false;
  ++batch_;
}

}  // namespace penstock
