#include "policies/geo/site_scheduler.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <variant>

namespace penstock {
namespace {

GpuId first_gpu(const Cluster& cluster, SiteId site) {
  return cluster.node(cluster.sites[site.index].first_node).first;
}

/// Numbers wrap around, so that they can be made smaller too.
void renumber(Action& action, std::uint32_t gpus, std::uint32_t nodes) {
  std::visit(
      [&](auto& a) {
        if constexpr (requires { a.where; })
          for (GpuRange& range : a.where) range.first.index += gpus;
        if constexpr (requires { a.node; }) a.node.index += nodes;
      },
      action);
}

std::uint32_t whole_count(double count) {
  return static_cast<std::uint32_t>(std::lround(std::max(count, 0.0)));
}

}  // namespace

SiteScheduler::SiteScheduler(const PolicySetting& setting, SiteId site)
    : site_(site),
      cluster_(single_site(setting.cluster, site)),
      first_gpu_(first_gpu(setting.cluster, site)),
      first_node_(setting.cluster.sites[site.index].first_node),
      start_(setting.start),
      state_(cluster_, setting.costs, setting.start),
      up_gpus_(cluster_.gpu_count()) {}

Result<std::unique_ptr<SiteScheduler>> SiteScheduler::make(const PolicySetting& setting,
                                                           SiteId site, std::string_view name,
                                                           const Options& options) {
  std::unique_ptr<SiteScheduler> scheduler(new SiteScheduler(setting, site));
  PolicySetting own{.cluster = scheduler->cluster_,
                    .costs = setting.costs,
                    .start = setting.start,
                    .carbon_price = setting.carbon_price,
                    .utility = setting.utility};
  auto policy = setting.table->make(own, name, options);
  if (!policy) return std::move(policy).error();
  scheduler->policy_ = *std::move(policy);
  return scheduler;
}

void SiteScheduler::accept(const JobState& job) {
  state_.adopt(job);
  state_.apply(JobSubmitted{job.job.id}, start_);
  happened_.emplace_back(JobSubmitted{job.job.id});
  update_load(job.job.id);
}

void SiteScheduler::accept_before(const JobStarted& e, const View& view) {
  JobState job = view.state.job(e.job);
  job.phase = Phase::queued;
  --job.starts;
  accept(job);
}

std::vector<JobId> SiteScheduler::withdraw_queue(Time now) {
  std::vector<JobId> jobs;
  for (const JobState& job : state_.queue()) jobs.push_back(job.job.id);
  for (const JobId job : jobs) withdraw(job, now);
  return jobs;
}

void SiteScheduler::withdraw(JobId job, Time now) {
  remove_load(job);
  state_.apply(JobWithdrawn{job}, now);
  happened_.emplace_back(JobWithdrawn{job});
  ended_.push_back(job);
}

void SiteScheduler::undo_refused(const View& view) {
  std::vector<State::Correction> jobs;
  for (const Event& event : view.happened) {
    const auto* refused = std::get_if<Refused>(&event);
    if (refused == nullptr) continue;
    const Action& action = refused->action;
    undo_node(action, view.now);
    const auto job = job_in(action);
    if (!job || state_.find(*job) == nullptr || std::holds_alternative<Route>(action)) continue;
    happened_.emplace_back(Refused{to_local(action)});
    const JobState& truth = view.state.job(*job);
    const auto is_known = [&](const State::Correction& other) { return other.truth == &truth; };
    if (std::ranges::any_of(jobs, is_known)) continue;  // the first tells how it was
    const bool waits = std::holds_alternative<Start>(action);
    jobs.push_back({&truth, waits ? Placement{} : to_local(truth.where)});
  }
  state_.correct(jobs, view.now);
  for (const State::Correction& job : jobs) update_load(job.truth->job.id);
}

void SiteScheduler::undo_node(const Action& action, Time now) {
  const auto here = [&](NodeId node) { return NodeId{node.index - first_node_.index}; };
  if (const auto* a = std::get_if<Sleep>(&action); a != nullptr && has(a->node))
    state_.apply(Wake{here(a->node)}, now);
  if (const auto* a = std::get_if<Wake>(&action); a != nullptr && has(a->node))
    state_.apply(Sleep{here(a->node)}, now);
}

void SiteScheduler::on(const JobStarted& e, Time now) {
  JobStarted here = e;
  here.where = to_local(e.where);
  state_.apply(here, now);
  happened_.emplace_back(std::move(here));
  update_load(e.job);
  changed_.push_back(e.job);
}

/// Of a job that is on its way here nothing is known here.
void SiteScheduler::on(const JobMeasured& e, const View& view) {
  if (state_.find(e.job) == nullptr) return;
  if (e.progress) state_.set_speed(e.job, view.state.job(e.job).speed);
  state_.apply(e, view.now);
  happened_.emplace_back(e);
  update_load(e.job);
}

void SiteScheduler::on(const JobFinished& e, Time now) {
  remove_load(e.job);
  state_.apply(e, now);
  happened_.emplace_back(e);
  ended_.push_back(e.job);
}

void SiteScheduler::on(const JobInterrupted& e, Time now) {
  state_.apply(e, now);
  happened_.emplace_back(e);
  update_load(e.job);
}

void SiteScheduler::on(const NodeFailed& e, Time now) {
  const NodeFailed here{NodeId{e.node.index - first_node_.index}};
  up_gpus_ -= cluster_.node(here.node).gpus;
  state_.apply(here, now);
  happened_.emplace_back(here);
}

void SiteScheduler::on(const NodeRepaired& e, Time now) {
  const NodeRepaired here{NodeId{e.node.index - first_node_.index}};
  up_gpus_ += cluster_.node(here.node).gpus;
  state_.apply(here, now);
  happened_.emplace_back(here);
}

void SiteScheduler::update_speeds(const View& view) {
  for (const JobId job : changed_) {
    const JobState* mine = state_.find(job);
    if (mine == nullptr || mine->phase != Phase::running) continue;
    state_.set_speed(job, view.state.job(job).speed);
    update_load(job);
  }
  changed_.clear();
}

void SiteScheduler::decide(const View& view, Decision& decision) {
  update_speeds(view);
  const Outlook outlook = view.outlook.single_site(site_);
  const std::span<const Bill> bill = view.by_site.subspan(site_.index, 1);
  Decision mine = policy_->decide({.now = view.now,
                                   .happened = happened_,
                                   .state = state_,
                                   .models = view.models,
                                   .outlook = outlook,
                                   .so_far = bill.front(),
                                   .by_site = bill,
                                   .explain = view.explain});
  happened_.clear();
  for (const JobId job : ended_) state_.retire(job);
  ended_.clear();
  for (Action& action : mine.actions) {
    apply_own(action, view.now);
    decision.actions.push_back(to_global(std::move(action)));
  }
  again_ = mine.ask_again;
  std::ranges::move(mine.because, std::back_inserter(decision.because));  // jobs keep their numbers
  if (!mine.reason.empty()) decision.reason += (decision.reason.empty() ? "" : "; ") + mine.reason;
}

void SiteScheduler::apply_own(const Action& action, Time now) {
  state_.apply(action, now);
  const auto job = job_in(action);
  if (!job) return;
  update_load(*job);
  if (state_.job(*job).phase == Phase::running) changed_.push_back(*job);
}

Action SiteScheduler::to_global(Action action) const {
  renumber(action, first_gpu_.index, first_node_.index);
  return action;
}

Action SiteScheduler::to_local(Action action) const {
  renumber(action, 0 - first_gpu_.index, 0 - first_node_.index);
  return action;
}

Placement SiteScheduler::to_local(Placement where) const {
  for (GpuRange& range : where) range.first.index -= first_gpu_.index;
  return where;
}

bool SiteScheduler::has(NodeId node) const {
  return node.index >= first_node_.index && node.index - first_node_.index < cluster_.nodes.size();
}

void SiteScheduler::count(const JobLoad& load, double sign) {
  JobLoad& sum = load.runs ? running_ : waiting_;
  sum.gpus += sign * load.gpus;
  sum.gpu_hours += sign * load.gpu_hours;
  sum.end += sign * load.gpus * load.end;
}

void SiteScheduler::remove_load(JobId job) {
  count(loads_.at(job.index), -1);
  loads_.erase(job.index);
}

void SiteScheduler::update_load(JobId id) {
  if (loads_.find(id.index) != nullptr) remove_load(id);
  const JobState& job = state_.job(id);
  JobLoad load{.gpus = static_cast<double>(job.job.gpus), .runs = job.phase == Phase::running};
  if (load.runs) {
    load.gpus = gpu_count(job.where);
    const Time end = job.work_begins + (job.job.work - job.done) / job.speed;
    load.end = seconds(end - start_) / kSecondsPerHour;
  } else {
    load.gpu_hours = load.gpus * seconds(job.remaining_request()) / kSecondsPerHour;
  }
  count(load, 1);
  loads_.insert(id.index, load);
}

SiteNews SiteScheduler::news(Time now) const {
  const double now_h = seconds(now - start_) / kSecondsPerHour;
  const std::uint32_t busy = state_.site(SiteId{0}).busy_gpus;
  return {.gpus = up_gpus_,
          .free = up_gpus_ > busy ? up_gpus_ - busy : 0,
          .claimed = whole_count(waiting_.gpus),
          .waiting = static_cast<std::uint32_t>(state_.queue().size()),
          .running = state_.site(SiteId{0}).running_jobs,
          .waiting_gpu_hours = std::max(waiting_.gpu_hours, 0.0),
          .running_gpu_hours = std::max(running_.end - running_.gpus * now_h, 0.0)};
}

std::vector<double> SiteScheduler::held_ahead(Time now, const Steps& steps) const {
  std::vector<double> held(steps.count, 0.0);
  for (const JobState& job : state_.running()) {
    const JobLoad& load = loads_.at(job.job.id.index);
    const Time end = start_ + round_duration(load.end * kSecondsPerHour);
    for (std::uint32_t i = 0; i < steps.count; ++i) {
      const Time from = std::max(now, steps.begin + i * steps.length);
      const Time until = steps.begin + (i + 1) * steps.length;
      if (end <= from) break;
      if (from < until)
        held[i] += load.gpus * seconds(std::min(end, until) - from) / seconds(until - from);
    }
  }
  return held;
}

}  // namespace penstock
