#include "engine/audit.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr Duration kMoment = std::chrono::seconds(10);
constexpr double kLeap = 3;  // times what a job could have done in a moment

}  // namespace

void Audit::begin(const JobState& job, Time now, const Pace& pace, const Models& believed) {
  if (!job.job.kind_id) return;
  Account* account = jobs_.find(job.job.id.index);
  if (account == nullptr) {
    account = &jobs_.insert(job.job.id.index);
    account->done = job.done;  // before it was found running
  }
  if (job.started == now) account->saved = account->done;
  account->segment = {.begun = now,
                      .work_begins = std::max(job.work_begins, now),
                      .speed = pace.speed,
                      .draw = pace.draw,
                      .billed = ledger_.billed(job.job.id)};
  const Profile* profile = believed.find(job.job, cluster_.node(job.where.front().first).type);
  if (profile == nullptr) {
    account->believed = false;
    return;
  }
  const Config config = config_of(job, cluster_);
  account->segment.time_ratio = pace.speed / Speed(throughput(*profile, config) / 1e3);
  if (pace.draw > Watts{}) account->segment.draw_ratio = draw(*profile, config) / pace.draw;
}

void Audit::drew(JobId job, Watts draw) {
  Account* account = jobs_.find(job.index);
  if (account == nullptr || draw <= Watts{} || account->segment.draw <= Watts{}) return;
  account->segment.draw_ratio *= account->segment.draw / draw;
  account->segment.draw = draw;
}

void Audit::got_to(JobId job, const JobMeasured::Progress& progress) {
  Account* account = jobs_.find(job.index);
  if (account == nullptr) return;
  Segment& segment = account->segment;
  const Duration working = progress.since - segment.work_begins;
  if (working <= Duration::zero()) {
    account->done = progress.done;
    return;
  }
  account->done = std::min(account->done, progress.done);
  const Work usual = segment.speed * working;
  const bool jumps = working < kMoment && progress.done - account->done > usual * kLeap;
  if (jumps) {  // its checkpoint had more than was believed
    account->done = progress.done - usual;
    return;
  }
  const Speed speed = (progress.done - account->done) / working;
  if (segment.speed > Speed{}) segment.time_ratio *= speed / segment.speed;
  segment.speed = speed;
}

void Audit::end(JobId job, Time now) {
  Account* account = jobs_.find(job.index);
  if (account == nullptr || now <= account->segment.begun) return;
  const Segment& segment = account->segment;
  const JobCost billed = ledger_.billed(job);
  const Money cost = (billed.drawn - segment.billed.drawn) * segment.draw_ratio +
                     (billed.by_tables - segment.billed.by_tables);
  const Duration working = std::max(now - segment.work_begins, Duration::zero());
  const double part = seconds(working) / seconds(now - segment.begun);
  const Money of_work = cost * part * segment.time_ratio;
  account->predicted += cost * (1 - part) + of_work;
  if (working == Duration::zero() || segment.speed == Speed{}) return;
  account->last = {.cost = of_work, .work = segment.speed * working, .speed = segment.speed};
  account->done += account->last.work;
}

void Audit::keep(JobId job, Work kept) {
  if (Account* account = jobs_.find(job.index)) account->done = account->saved + kept;
}

std::optional<Money> Audit::take(const Job& job) {
  const Account* found = jobs_.find(job.id.index);
  if (found == nullptr) return std::nullopt;
  const Account account = *found;
  jobs_.erase(job.id.index);
  if (!account.believed) return std::nullopt;
  // The end is told at a whole millisecond after the work was done, by rounding at the next one.
  const Work surplus = account.done - job.work;
  const bool as_stated = surplus >= Work{} && surplus < account.last.speed * Duration(2);
  if (as_stated || account.last.work == Work{}) return account.predicted;
  return account.predicted - account.last.cost * (surplus / account.last.work);
}

}  // namespace penstock
