#include "engine/engine.h"

#include <cstdio>
#include <cstdlib>
#include <variant>

#include "base/check.h"
#include "engine/legal.h"

namespace penstock {
namespace {

/// One run: the state and the ledger, kept in step.
class Run {
 public:
  Run(Backend& backend, Policy& policy, const Setting& setting, Observer& observer)
      : backend_(backend),
        policy_(policy),
        setting_(setting),
        observer_(observer),
        state_(setting.cluster, setting.costs, setting.start),
        ledger_(setting.cluster, setting.signals, setting.start) {}

  RunResult to_the_end() {
    Batch batch;
    Decision decision;
    while (backend_.wait(decision.ask_again, batch)) {
      now_ = batch.now;
      ledger_.advance(now_);
      observer_.before(batch, state_, ledger_);
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
    ++result_.decisions;
    return policy_.decide({.now = now_,
                           .happened = batch.events,
                           .state = state_,
                           .outlook = outlook,
                           .so_far = ledger_.so_far()});
  }

  // Events: the state moves, and the ledger with it.
  void on(const JobSubmitted& e) { state_.apply(e, now_); }
  void on(const JobReady& e) { state_.apply(e, now_); }
  void on(const JobFinished& e) {
    const JobState& job = state_.job(e.job);
    ledger_.job_stopped(job);
    state_.apply(e, now_);
    ended_.push_back(e.job);
    ++result_.ended;
    result_.last_finish = now_;
    report(job, e.outcome);
  }
  void on(const JobInterrupted& e) {
    ledger_.job_stopped(state_.job(e.job));
    state_.apply(e, now_);
    ++result_.interruptions;
  }
  void on(const NodeFailed& e) { change(e.node, e); }
  void on(const NodeRepaired& e) { change(e.node, e); }

  // Actions: the same, and the world is told.
  void carry_out(const Action& action) {
    if (const auto reason = illegal(action, state_)) {
      std::fprintf(stderr, "a policy asked for something illegal: %s\n", reason->c_str());
      std::abort();
    }
    std::visit([&](const auto& a) { act(a); }, action);
    backend_.execute(action, state_);
    if (const auto* start = std::get_if<Start>(&action)) {
      const JobState& job = state_.job(start->job);
      ledger_.job_started(job, backend_.draw(job));
    }
  }
  void act(const Start& a) {
    for (const GpuRange& range : a.where) {
      const NodeId node = setting_.cluster.node_of[range.first.index];
      if (state_.node(node).phase == NodePhase::asleep) change(node, Wake{node});
    }
    state_.apply(a, now_);
  }
  void act(const Preempt& a) {
    ledger_.job_stopped(state_.job(a.job));
    state_.apply(a, now_);
    ++result_.preemptions;
  }
  void act(const Sleep& a) {
    change(a.node, a);
    ++result_.node_sleeps;
  }
  void act(const Wake& a) { change(a.node, a); }

  template <class What>
  void change(NodeId node, const What& what) {
    const NodePhase before = state_.node(node).phase;
    state_.apply(what, now_);
    ledger_.node_changed(node, before, state_.node(node).phase);
  }

  void report(const JobState& job, Outcome outcome) {
    const Cluster& cluster = setting_.cluster;
    const Node& node = cluster.node(job.where.front().first);
    observer_.ended({.job = job.job,
                     .outcome = outcome,
                     .first_start = job.first_start,
                     .finish = now_,
                     .held = job.held,
                     .where = job.where,
                     .site = node.site,
                     .clock_mean_mhz = static_cast<double>(cluster.type(node).max_clock_mhz),
                     .preemptions = job.preemptions,
                     .interruptions = job.interruptions,
                     .bill = ledger_.take(job.job.id)});
  }

  RunResult close() {
    ledger_.settle();
    for (std::uint32_t i = 0; i < setting_.cluster.sites.size(); ++i)
      result_.sites.push_back({ledger_.site(SiteId{i}), ledger_.gpu_time(SiteId{i})});
    return std::move(result_);
  }

  Backend& backend_;
  Policy& policy_;
  const Setting& setting_;
  Observer& observer_;
  State state_;
  Ledger ledger_;
  Time now_{};
  std::vector<JobId> ended_;  ///< in the batch being decided on
  RunResult result_;
};

}  // namespace

RunResult run(Backend& backend, Policy& policy, const Setting& setting, Observer& observer) {
  return Run(backend, policy, setting, observer).to_the_end();
}

}  // namespace penstock
