#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "model/forecast.h"
#include "policy/policy.h"

namespace penstock {

/// One policy by itself, without an engine: a test says what happens and when, and what the policy
/// decides is believed to be done at once.
class PolicyStage {
 public:
  explicit PolicyStage(Cluster cluster, Models models = {})
      : cluster_(std::move(cluster)),
        models_(std::move(models)),
        state_(cluster_, {.restart = Duration::zero(), .wake = Duration::zero()}, start()),
        signals_(cluster_.sites.size()),
        forecasts_(cluster_.sites.size()) {}

  static Time start() { return Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)); }

  bool explain = false;  ///< does somebody read reasons?

  const Cluster& cluster() const { return cluster_; }
  const State& state() const { return state_; }
  const JobState& job(std::uint32_t index) const { return state_.job(JobId{index}); }

  void wait_until(Time now) { now_ = now; }
  void submit(Job job) {
    const JobId id = job.id;
    job.submitted = now_;
    state_.admit(std::move(job));
    happen(JobSubmitted{id});
  }
  void happen(const Event& event) {
    state_.apply(event, now_);
    happened_.push_back(event);
  }
  /// What a policy would see now. Valid until the next call of anything.
  View view() {
    shown_ = std::exchange(happened_, {});
    outlook_.emplace(signals_, forecasts_, now_);
    return {.now = now_,
            .happened = shown_,
            .state = state_,
            .models = models_,
            .outlook = *outlook_,
            .so_far = bill_,
            .explain = explain};
  }
  void carry_out(const Decision& decision) {
    for (const Action& action : decision.actions) state_.apply(action, now_);
  }
  Decision decide(Policy& policy) {
    Decision decision = policy.decide(view());
    carry_out(decision);
    return decision;
  }
  Decision decide_at(Time now, Policy& policy) {
    wait_until(now);
    return decide(policy);
  }

 private:
  Cluster cluster_;
  Models models_;
  State state_;
  std::vector<SiteSignals> signals_;
  std::vector<SiteForecasts> forecasts_;
  Bill bill_{};
  Time now_ = start();
  std::vector<Event> happened_;  ///< since the last view
  std::vector<Event> shown_;
  std::optional<Outlook> outlook_;
};

}  // namespace penstock
