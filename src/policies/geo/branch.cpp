#include "policies/geo/branch.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <variant>

namespace penstock {
namespace {

constexpr double kSecondsPerHour = 3600;

GpuId first_gpu(const Cluster& cluster, SiteId site) {
  return cluster.node(cluster.sites[site.index].first_node).first;
}

/// The job that an action is about, if it is about one.
std::optional<JobId> job_of(const Action& action) {
  return std::visit(
      [](const auto& a) -> std::optional<JobId> {
        if constexpr (requires { a.job; })
          return a.job;
        else
          return std::nullopt;
      },
      action);
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

std::uint32_t whole(double count) {
  return static_cast<std::uint32_t>(std::lround(std::max(count, 0.0)));
}

}  // namespace

Branch::Branch(const PolicySetting& setting, SiteId site)
    : site_(site),
      cluster_(single_site(setting.cluster, site)),
      first_gpu_(first_gpu(setting.cluster, site)),
      first_node_(setting.cluster.sites[site.index].first_node),
      start_(setting.start),
      state_(cluster_, setting.costs, setting.start),
      up_gpus_(cluster_.gpu_count()) {}

Result<std::unique_ptr<Branch>> Branch::make(const PolicySetting& setting, SiteId site,
                                             std::string_view name, const Options& options) {
  std::unique_ptr<Branch> branch(new Branch(setting, site));
  PolicySetting own{.cluster = branch->cluster_,
                    .costs = setting.costs,
                    .start = setting.start,
                    .carbon_price = setting.carbon_price,
                    .utility = setting.utility};
  auto policy = setting.table->make(own, name, options);
  if (!policy) return std::move(policy).error();
  branch->policy_ = *std::move(policy);
  return branch;
}

void Branch::accept(const JobState& job) {
  state_.adopt(job);
  state_.apply(JobSubmitted{job.job.id}, start_);
  happened_.emplace_back(JobSubmitted{job.job.id});
  weigh(job.job.id);
}

void Branch::accept_before(const JobStarted& e, const View& view) {
  JobState job = view.state.job(e.job);
  job.phase = Phase::queued;
  --job.starts;
  accept(job);
}

std::vector<JobId> Branch::give_up_queue(Time now) {
  std::vector<JobId> jobs;
  for (const JobState& job : state_.queue()) jobs.push_back(job.job.id);
  for (const JobId job : jobs) give_up(job, now);
  return jobs;
}

void Branch::give_up(JobId job, Time now) {
  unweigh(job);
  state_.apply(JobWithdrawn{job}, now);
  happened_.emplace_back(JobWithdrawn{job});
  ended_.push_back(job);
}

void Branch::take_back(const View& view) {
  std::vector<State::Correction> jobs;
  for (const Event& event : view.happened) {
    const auto* refused = std::get_if<Refused>(&event);
    if (refused == nullptr) continue;
    const Action& action = refused->action;
    take_back_node(action, view.now);
    const auto job = job_of(action);
    if (!job || state_.find(*job) == nullptr || std::holds_alternative<Route>(action)) continue;
    happened_.emplace_back(Refused{inside(action)});
    const JobState& truth = view.state.job(*job);
    const auto is_known = [&](const State::Correction& other) { return other.truth == &truth; };
    if (std::ranges::any_of(jobs, is_known)) continue;  // the first tells how it was
    const bool waits = std::holds_alternative<Start>(action);
    jobs.push_back({&truth, waits ? Placement{} : inside(truth.where)});
  }
  state_.correct(jobs, view.now);
  for (const State::Correction& job : jobs) weigh(job.truth->job.id);
}

void Branch::take_back_node(const Action& action, Time now) {
  const auto here = [&](NodeId node) { return NodeId{node.index - first_node_.index}; };
  if (const auto* a = std::get_if<Sleep>(&action); a != nullptr && has(a->node))
    state_.apply(Wake{here(a->node)}, now);
  if (const auto* a = std::get_if<Wake>(&action); a != nullptr && has(a->node))
    state_.apply(Sleep{here(a->node)}, now);
}

void Branch::hear(const JobStarted& e, Time now) {
  JobStarted here = e;
  here.where = inside(e.where);
  state_.apply(here, now);
  happened_.emplace_back(std::move(here));
  weigh(e.job);
  changed_.push_back(e.job);
}

/// Of a job that is on its way here nothing is known here.
void Branch::hear(const JobMeasured& e, const View& view) {
  if (state_.find(e.job) == nullptr) return;
  if (e.progress) state_.set_speed(e.job, view.state.job(e.job).speed);
  state_.apply(e, view.now);
  happened_.emplace_back(e);
  weigh(e.job);
}

void Branch::hear(const JobFinished& e, Time now) {
  unweigh(e.job);
  state_.apply(e, now);
  happened_.emplace_back(e);
  ended_.push_back(e.job);
}

void Branch::hear(const JobInterrupted& e, Time now) {
  state_.apply(e, now);
  happened_.emplace_back(e);
  weigh(e.job);
}

void Branch::hear(const NodeFailed& e, Time now) {
  const NodeFailed here{NodeId{e.node.index - first_node_.index}};
  up_gpus_ -= cluster_.node(here.node).gpus;
  state_.apply(here, now);
  happened_.emplace_back(here);
}

void Branch::hear(const NodeRepaired& e, Time now) {
  const NodeRepaired here{NodeId{e.node.index - first_node_.index}};
  up_gpus_ += cluster_.node(here.node).gpus;
  state_.apply(here, now);
  happened_.emplace_back(here);
}

void Branch::catch_up(const View& view) {
  for (const JobId job : changed_) {
    const JobState* mine = state_.find(job);
    if (mine == nullptr || mine->phase != Phase::running) continue;
    state_.set_speed(job, view.state.job(job).speed);
    weigh(job);
  }
  changed_.clear();
}

void Branch::decide(const View& view, Decision& decision) {
  catch_up(view);
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
    follow(action, view.now);
    decision.actions.push_back(outside(std::move(action)));
  }
  again_ = mine.ask_again;
  std::ranges::move(mine.because, std::back_inserter(decision.because));  // jobs keep their numbers
  if (!mine.reason.empty()) decision.reason += (decision.reason.empty() ? "" : "; ") + mine.reason;
}

void Branch::follow(const Action& action, Time now) {
  state_.apply(action, now);
  const auto job = job_of(action);
  if (!job) return;
  weigh(*job);
  if (state_.job(*job).phase == Phase::running) changed_.push_back(*job);
}

Action Branch::outside(Action action) const {
  renumber(action, first_gpu_.index, first_node_.index);
  return action;
}

Action Branch::inside(Action action) const {
  renumber(action, 0 - first_gpu_.index, 0 - first_node_.index);
  return action;
}

Placement Branch::inside(Placement where) const {
  for (GpuRange& range : where) range.first.index -= first_gpu_.index;
  return where;
}

bool Branch::has(NodeId node) const {
  return node.index >= first_node_.index && node.index - first_node_.index < cluster_.nodes.size();
}

void Branch::count(const Burden& burden, double sign) {
  Burden& sum = burden.runs ? running_ : waiting_;
  sum.gpus += sign * burden.gpus;
  sum.gpu_hours += sign * burden.gpu_hours;
  sum.end += sign * burden.gpus * burden.end;
}

void Branch::unweigh(JobId job) {
  count(burdens_.at(job.index), -1);
  burdens_.erase(job.index);
}

void Branch::weigh(JobId id) {
  if (burdens_.find(id.index) != nullptr) unweigh(id);
  const JobState& job = state_.job(id);
  Burden burden{.gpus = static_cast<double>(job.job.gpus), .runs = job.phase == Phase::running};
  if (burden.runs) {
    burden.gpus = gpu_count(job.where);
    const Time end = job.work_begins + (job.job.work - job.done) / job.speed;
    burden.end = seconds(end - start_) / kSecondsPerHour;
  } else {
    burden.gpu_hours = burden.gpus * seconds(job.remaining_request()) / kSecondsPerHour;
  }
  count(burden, 1);
  burdens_.insert(id.index, burden);
}

SiteNews Branch::news(Time now) const {
  const double now_h = seconds(now - start_) / kSecondsPerHour;
  const std::uint32_t busy = state_.site(SiteId{0}).busy_gpus;
  return {.gpus = up_gpus_,
          .free = up_gpus_ > busy ? up_gpus_ - busy : 0,
          .claimed = whole(waiting_.gpus),
          .waiting = static_cast<std::uint32_t>(state_.queue().size()),
          .running = state_.site(SiteId{0}).running_jobs,
          .waiting_gpu_hours = std::max(waiting_.gpu_hours, 0.0),
          .running_gpu_hours = std::max(running_.end - running_.gpus * now_h, 0.0)};
}

std::vector<double> Branch::held_ahead(Time now, const Steps& steps) const {
  std::vector<double> held(steps.count, 0.0);
  for (const JobState& job : state_.running()) {
    const Burden& burden = burdens_.at(job.job.id.index);
    const Time end = start_ + round_duration(burden.end * kSecondsPerHour);
    for (std::uint32_t i = 0; i < steps.count; ++i) {
      const Time from = std::max(now, steps.begin + i * steps.length);
      const Time until = steps.begin + (i + 1) * steps.length;
      if (end <= from) break;
      if (from < until)
        held[i] += burden.gpus * seconds(std::min(end, until) - from) / seconds(until - from);
    }
  }
  return held;
}

}  // namespace penstock
