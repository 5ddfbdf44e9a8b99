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
  account->stretch = {.begun = now,
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
  account->stretch.time_ratio = pace.speed / Speed(throughput(*profile, config) / 1e3);
  if (pace.draw > Watts{}) account->stretch.draw_ratio = draw(*profile, config) / pace.draw;
}

void Audit::drew(JobId job, Watts draw) {
  Account* account = jobs_.find(job.index);
  if (account == nullptr || draw <= Watts{} || account->stretch.draw <= Watts{}) return;
  account->stretch.draw_ratio *= account->stretch.draw / draw;
  account->stretch.draw = draw;
}

void Audit::got_to(JobId job, const JobMeasured::Progress& progress) {
  Account* account = jobs_.find(job.index);
  if (account == nullptr) return;
  Stretch& stretch = account->stretch;
  const Duration working = progress.since - stretch.work_begins;
  if (working <= Duration::zero()) {
    account->done = progress.done;
    return;
  }
  account->done = std::min(account->done, progress.done);
  const Work usual = stretch.speed * working;
  const bool jumps = working < kMoment && progress.done - account->done > usual * kLeap;
  if (jumps) {  // its checkpoint had more than was believed
    account->done = progress.done - usual;
    return;
  }
  const Speed speed = (progress.done - account->done) / working;
  if (stretch.speed > Speed{}) stretch.time_ratio *= speed / stretch.speed;
  stretch.speed = speed;
}

void Audit::end(JobId job, Time now) {
  Account* account = jobs_.find(job.index);
  if (account == nullptr || now <= account->stretch.begun) return;
  const Stretch& stretch = account->stretch;
  const JobCost billed = ledger_.billed(job);
  const Money cost = (billed.drawn - stretch.billed.drawn) * stretch.draw_ratio +
                     (billed.by_tables - stretch.billed.by_tables);
  const Duration working = std::max(now - stretch.work_begins, Duration::zero());
  const double part = seconds(working) / seconds(now - stretch.begun);
  const Money of_work = cost * part * stretch.time_ratio;
  account->predicted += cost * (1 - part) + of_work;
  if (working == Duration::zero() || stretch.speed == Speed{}) return;
  account->last = {.cost = of_work, .work = stretch.speed * working, .speed = stretch.speed};
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
