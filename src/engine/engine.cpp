#include "engine/engine.h"

#include <cstdio>
#include <cstdlib>
#include <queue>
#include <utility>
#include <variant>

#include "base/check.h"
#include "engine/audit.h"
#include "engine/legal.h"
#include "engine/transfers.h"

namespace penstock {
namespace {

/// One run: the state, the ledger and the audit, kept in step.
class Run {
 public:
  Run(Backend& backend, Policy& policy, const Setting& setting, Observer& observer)
      : backend_(backend),
        policy_(policy),
        setting_(setting),
        observer_(observer),
        state_(setting.cluster, setting.costs, setting.start),
        ledger_(setting.cluster, setting.signals, setting.start),
        by_site_(setting.cluster.sites.size()),
        audit_(setting.cluster, ledger_),
        transfers_(setting.cluster, setting.signals),
        learner_(setting.learner != nullptr ? *setting.learner : nobody_) {}

  RunResult to_the_end() {
    Batch batch;
    Decision decision;
    while (backend_.wait(decision.ask_again, batch)) {
      now_ = batch.now;
      ledger_.advance(now_);
      if (batch.new_signals) ledger_.follow(setting_.signals);
      batch.events.insert(batch.events.begin(), refused_.begin(), refused_.end());
      refused_.clear();
      observer_.before(batch, state_, ledger_);
      observe_due();
      take_in(batch);
      decision = decide(batch);
      observer_.decided(now_, decision, state_);
      for (const JobId job : ended_) state_.retire(job);
      ended_.clear();
      for (const Action& action : decision.actions) carry_out(action);
    }
    return close();
  }

 private:
  void take_in(Batch& batch) {
    for (Job& job : batch.submitted) {
      if (!result_.first_submission) result_.first_submission = job.submitted;
      state_.admit(std::move(job));
      ++result_.submitted;
    }
    for (const Event& event : batch.events) std::visit([&](const auto& e) { on(e); }, event);
    result_.events += batch.events.size();
  }

  Decision decide(const Batch& batch) {
    const Outlook outlook(setting_.signals, setting_.forecasts, now_);
    const Bill so_far = ledger_.so_far(by_site_);
    ++result_.decisions;
    return policy_.decide({.now = now_,
                           .happened = batch.events,
                           .state = state_,
                           .models = learner_.models(),
                           .outlook = outlook,
                           .so_far = so_far,
                           .by_site = by_site_,
                           .explain = setting_.explain});
  }

  // Events: the state moves, and the ledger with it.
  void on(const JobSubmitted& e) { state_.apply(e, now_); }
  void on(const JobReady& e) { state_.apply(e, now_); }
  void on(const JobFinished& e) {
    const JobState& job = state_.job(e.job);
    close_run(job, e.outcome == Outcome::killed ? StretchEnd::killed : StretchEnd::finished);
    state_.apply(e, now_);
    ended_.push_back(e.job);
    ++result_.ended;
    result_.last_finish = now_;
    report(job, e.outcome);
  }
  void on(const JobInterrupted& e) {
    close_run(state_.job(e.job), StretchEnd::interrupted);
    audit_.keep(e.job, e.kept);
    state_.apply(e, now_);
    ++result_.interruptions;
  }
  void on(const NodeFailed& e) { change(e.node, e); }
  void on(const NodeRepaired& e) { change(e.node, e); }
  void on(const JobArrived& e) { state_.apply(e, now_); }
  void on(const JobWithdrawn& e) {
    const JobState& job = state_.job(e.job);
    state_.apply(e, now_);
    ended_.push_back(e.job);
    if (job.starts > 0) report(job, Outcome::killed);  // it has been billed
  }

  void on(const JobStarted& e) {
    wake_nodes(e.where);
    state_.apply(e, now_);
    enter(e.job);
  }
  void on(const JobMeasured& e) {
    const JobState& job = state_.job(e.job);
    if (job.phase != Phase::running) return state_.apply(e, now_);
    if (e.drew) {
      ledger_.job_drew(job, *e.drew);
      audit_.drew(e.job, *e.drew);
    }
    Pace pace = backend_.pace(job);
    if (e.progress) {
      audit_.got_to(e.job, *e.progress);
      state_.set_speed(e.job, pace.speed);
    }
    pace.speed = job.speed;
    state_.apply(e, now_);
    go_on(job, pace);
  }
  void on(const Refused& /*e*/) {}

  // Actions: the same, and the world is told.
  void carry_out(const Action& action) {
    auto reason = illegal(action, state_, learner_.models());
    if (reason && setting_.fence == nullptr) {
      std::fprintf(stderr, "a policy asked for something illegal: %s\n", reason->c_str());
      std::abort();
    }
    if (!reason && setting_.fence != nullptr) reason = setting_.fence->refuses(action, state_);
    if (!reason) return std::visit([&](const auto& a) { act(a); }, action);
    refused_.emplace_back(Refused{action});
    observer_.refused(now_, action, *reason);
  }
  void act(const Start& a) {
    wake_nodes(a.where);
    state_.apply(a, now_);
    open_run(a);
  }
  void act(const Preempt& a) {
    close_run(state_.job(a.job), StretchEnd::preempted);
    state_.apply(a, now_);
    backend_.execute(a, state_);
    ++result_.preemptions;
  }
  void act(const Resize& a) {
    move(a, StretchEnd::resized);
    ++result_.resizes;
  }
  void act(const Migrate& a) {
    move(a, StretchEnd::migrated);
    ++result_.migrations;
  }
  void act(const SetClock& a) { drive(a, StretchEnd::clock); }
  void act(const SetBatch& a) { drive(a, StretchEnd::batch); }
  void act(const Sleep& a) {
    change(a.node, a);
    backend_.execute(a, state_);
    ++result_.node_sleeps;
  }
  void act(const Wake& a) {
    change(a.node, a);
    backend_.execute(a, state_);
  }

  void act(const Route& a) {
    transfers_.send(state_.job(a.job), a.to, now_);
    backend_.execute(a, state_);
    state_.apply(a, now_);
  }

  template <class What>
  void move(const What& what, StretchEnd change) {
    close_run(state_.job(what.job), change);
    wake_nodes(what.where);
    state_.apply(what, now_);
    open_run(what);
  }

  template <class What>
  void drive(const What& what, StretchEnd change) {
    const JobState& job = state_.job(what.job);
    observe(job);
    report_stretch(job, change);
    state_.apply(what, now_);
    backend_.execute(what, state_);
    const Pace pace = backend_.pace(job);
    state_.set_speed(what.job, pace.speed);
    go_on(job, pace);
    schedule_observation(job);
  }

  /// A job goes on where it is.
  void go_on(const JobState& job, const Pace& pace) {
    ledger_.job_changed(job, pace.draw);
    audit_.end(job.job.id, now_);
    audit_.begin(job, now_, pace, learner_.models());
  }

  void wake_nodes(const Placement& where) {
    for (const GpuRange& range : where) {
      const NodeId node = setting_.cluster.node_of[range.first.index];
      if (state_.node(node).phase == NodePhase::asleep) change(node, Wake{node});
    }
  }

  template <class What>
  void open_run(const What& what) {
    backend_.execute(what, state_);
    enter(what.job);
  }

  /// A run has begun.
  void enter(JobId id) {
    const JobState& job = state_.job(id);
    const Pace pace = backend_.pace(job);
    state_.set_speed(id, pace.speed);
    ledger_.job_started(job, pace.draw);
    audit_.begin(job, now_, pace, learner_.models());
    schedule_observation(job);
  }

  void close_run(const JobState& job, StretchEnd end) {
    observe(job);
    report_stretch(job, end);
    ledger_.job_stopped(job);
    audit_.end(job.job.id, now_);
  }

  void report_stretch(const JobState& job, StretchEnd end) {
    if (job.configured == now_) return;
    observer_.stretched({.job = job.job,
                         .from = job.configured,
                         .to = now_,
                         .where = job.where,
                         .site = state_.site_of(job.where),
                         .clock_mhz = job.clock_mhz,
                         .batch = job.batch,
                         .ended_by = end});
  }

  // Learning: every run is looked at when it changes, and once before.
  void observe(const JobState& job) {
    if (!job.job.kind_id || now_ - job.work_begins < kShortestObservation) return;
    const Pace pace = backend_.pace(job);
    learner_.observe({.kind = *job.job.kind_id,
                      .type = setting_.cluster.node(job.where.front().first).type,
                      .config = config_of(job, setting_.cluster),
                      .over = now_ - job.work_begins,
                      .speed = pace.speed,
                      .draw = pace.draw});
  }
  void schedule_observation(const JobState& job) {
    if (setting_.learner != nullptr && job.job.kind_id)
      observations_.push({job.work_begins + kFirstObservation, job.job.id, job.work_begins});
  }
  void observe_due() {
    for (; !observations_.empty() && observations_.top().when <= now_; observations_.pop()) {
      const JobState* job = state_.find(observations_.top().job);
      if (job != nullptr && job->phase == Phase::running &&
          job->work_begins == observations_.top().work_begins)
        observe(*job);
    }
  }

  template <class What>
  void change(NodeId node, const What& what) {
    const NodePhase before = state_.node(node).phase;
    state_.apply(what, now_);
    ledger_.node_changed(node, before, state_.node(node).phase);
  }

  void report(const JobState& job, Outcome outcome) {
    const Cluster& cluster = setting_.cluster;
    const Node& node = cluster.node(job.where.front().first);
    observer_.ended(
        {.job = job.job,
         .outcome = outcome,
         .first_start = job.first_start,
         .finish = now_,
         .held = job.held,
         .where = job.where,
         .site = node.site,
         .gpus_mean = job.gpu_time / std::chrono::duration<double, std::milli>(job.held),
         .clock_mean_mhz = job.clock_time / static_cast<double>(job.held.count()),
         .preemptions = job.preemptions,
         .interruptions = job.interruptions,
         .resizes = job.resizes,
         .migrations = job.migrations,
         .bill = ledger_.take(job.job.id),
         .sent = transfers_.take(job.job.id),
         .predicted = audit_.take(job.job)});
  }

  RunResult close() {
    ledger_.settle();
    for (std::uint32_t i = 0; i < setting_.cluster.sites.size(); ++i)
      result_.sites.push_back(
          {ledger_.site(SiteId{i}), ledger_.gpu_time(SiteId{i}), transfers_.from(SiteId{i})});
    return std::move(result_);
  }

  struct DueObservation {
    Time when{};
    JobId job{};
    Time work_begins{};
    bool operator<(const DueObservation& other) const {  // priority_queue keeps the largest on top
      return std::pair(when, job) > std::pair(other.when, other.job);
    }
  };
  static constexpr Duration kShortestObservation = std::chrono::seconds(5);
  static constexpr Duration kFirstObservation = std::chrono::seconds(60);

  Backend& backend_;
  Policy& policy_;
  const Setting& setting_;
  Observer& observer_;
  State state_;
  Ledger ledger_;
  std::vector<Bill> by_site_;  ///< what policies are told
  Audit audit_;
  Transfers transfers_;
  FixedModels nobody_{Models{}};
  Learner& learner_;
  std::priority_queue<DueObservation> observations_;
  Time now_{};
  std::vector<JobId> ended_;    ///< in the batch being decided on
  std::vector<Event> refused_;  ///< of the last decision
  RunResult result_;
};

}  // namespace

RunResult run(Backend& backend, Policy& policy, const Setting& setting, Observer& observer) {
  return Run(backend, policy, setting, observer).to_the_end();
}

}  // namespace penstock
