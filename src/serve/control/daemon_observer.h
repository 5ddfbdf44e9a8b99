#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "engine/backend.h"
#include "engine/observer.h"
#include "live/fence.h"
#include "live/slurm_backend.h"
#include "policy/policy.h"
#include "serve/control/metrics.h"
#include "serve/control/wait_reasons.h"
#include "serve/http/event_feed.h"

namespace penstock {

/// Remembers the last message about each job, so that it is not repeated. Jobs that are gone are
/// forgotten; one that comes back has another id.
class LastMessages {
 public:
  bool is_new(JobId job, const std::string& text) {
    return std::exchange(refusals_[job], text) != text;
  }
  void forget(JobId job) { refusals_.erase(job); }
  /// Forgets jobs that are withdrawn: no end is reported of a job that was never started.
  void update(const Batch& batch) {
    for (const Event& event : batch.events)
      if (const auto* e = std::get_if<JobWithdrawn>(&event)) forget(e->job);
  }
  std::size_t jobs() const { return refusals_.size(); }

 private:
  std::map<JobId, std::string> refusals_;
};

/// Observes the run of the daemon: writes refusals and ended jobs into the journal and to the event
/// feed, and gives access to state and ledger between two events.
class DaemonObserver final : public Observer {
 public:
  struct Counts {
    std::uint64_t decisions = 0;
    std::uint64_t ended = 0;
  };
  /// What holds while the daemon runs.
  struct Context {
    std::string policy{};
    Mode mode{};
    std::span<const SiteSignals> signals{};  ///< indexed by SiteId
  };
  /// All must outlive it.
  DaemonObserver(SlurmBackend& backend, EventFeed& feed, Context context)
      : backend_(backend), feed_(feed), context_(std::move(context)) {}

  void before(const Batch& batch, const State& state, const Ledger& ledger) override;
  void decided(Time now, const Decision& decision, const State& state) override;
  void ended(const JobRecord& record) override;
  void refused(Time now, const Action& action, const std::string& why) override;

  /// Nothing before the first event.
  const State* state() const { return state_; }
  const Ledger* ledger() const { return ledger_; }
  const Counts& counts() const { return counts_; }
  const WaitReasons& waits() const { return waits_; }

 private:
  void publish(const Batch& batch);

  SlurmBackend& backend_;
  EventFeed& feed_;
  Context context_;
  Reasons reasons_;  ///< of the last decision
  WaitReasons waits_;
  const State* state_ = nullptr;
  const Ledger* ledger_ = nullptr;
  Counts counts_;
  LastMessages refusals_;  ///< what was refused of each job
};

/// Calls another policy, and records the time that it takes in the metrics.
class MeasuredPolicy final : public Policy {
 public:
  MeasuredPolicy(Policy& inner, DaemonMetrics& metrics) : inner_(inner), metrics_(metrics) {}
  Decision decide(const View& view) override;

 private:
  Policy& inner_;
  DaemonMetrics& metrics_;
};

/// An action for people: "start on n1 n2 with 8 GPUs".
std::string describe(const Action& action, const Cluster& cluster, const SlurmSite* site);
std::string_view verb_of(const Action& action);

}  // namespace penstock
