#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "policies/core_policies.h"
#include "worlds/world.h"

namespace penstock {

/// One turn of the loop: what was told and what was decided.
struct Turn {
  Time now{};
  std::vector<Event> events{};
  std::vector<Action> actions{};
  std::optional<Time> ask_again{};
  std::vector<JobReason> because{};
};

/// A JobRecord that outlives the run.
struct EndedJob {
  JobId job{};
  Outcome outcome = Outcome::completed;
  Time first_start{};
  Time finish{};
  Duration held{};
  Placement where{};
  SiteId site{};
  double gpus_mean = 0;
  double clock_mean_mhz = 0;
  std::uint32_t preemptions = 0;
  std::uint32_t interruptions = 0;
  std::uint32_t resizes = 0;
  std::uint32_t migrations = 0;
  Bill bill{};
  TransferBill sent{};
  std::optional<Money> predicted{};
};

/// A Stretch that outlives the run.
struct HeldStretch {
  JobId job{};
  Time from{};
  Time to{};
  Placement where{};
  SiteId site{};
  std::uint32_t clock_mhz = 0;
  double batch = 0;
  StretchEnd ended_by = StretchEnd::finished;
};

struct RunLog {
  std::vector<Turn> turns{};
  std::vector<HeldStretch> stretches{};  ///< in the order of their end
  std::vector<EndedJob> ended{};         ///< in the order of their end
  RunResult result{};
};

/// Writes down everything that an observer is told.
class Recorder final : public Observer {
 public:
  explicit Recorder(RunLog& log) : log_(log) {}

  void before(const Batch& batch, const State& /*state*/, const Ledger& /*ledger*/) override {
    log_.turns.push_back({.now = batch.now, .events = batch.events});
    stop_if_endless();
  }
  void decided(Time /*now*/, const Decision& decision, const State& /*state*/) override {
    log_.turns.back().actions = decision.actions;
    log_.turns.back().ask_again = decision.ask_again;
    log_.turns.back().because = decision.because;
  }
  void ended(const JobRecord& record) override {
    log_.ended.push_back({.job = record.job.id,
                          .outcome = record.outcome,
                          .first_start = record.first_start,
                          .finish = record.finish,
                          .held = record.held,
                          .where = record.where,
                          .site = record.site,
                          .gpus_mean = record.gpus_mean,
                          .clock_mean_mhz = record.clock_mean_mhz,
                          .preemptions = record.preemptions,
                          .interruptions = record.interruptions,
                          .resizes = record.resizes,
                          .migrations = record.migrations,
                          .bill = record.bill,
                          .sent = record.sent,
                          .predicted = record.predicted});
  }
  void stretched(const Stretch& stretch) override {
    log_.stretches.push_back({.job = stretch.job.id,
                              .from = stretch.from,
                              .to = stretch.to,
                              .where = stretch.where,
                              .site = stretch.site,
                              .clock_mhz = stretch.clock_mhz,
                              .batch = stretch.batch,
                              .ended_by = stretch.ended_by});
  }

 private:
  void stop_if_endless() const {
    constexpr std::size_t kMostTurns = 200'000;  // small worlds need a few hundred
    if (log_.turns.size() < kMostTurns) return;
    std::fprintf(stderr, "the run does not come to an end\n");
    std::abort();
  }

  RunLog& log_;
};

/// Runs a policy that believes to know how jobs scale.
inline RunLog run_logged(const World& world, Policy& policy, const Models& believed,
                         bool explain = false) {
  RunLog log;
  SimOptions sim = world.sim;
  sim.models = &world.models;
  VectorSource source(world.jobs);
  SimBackend backend(source, world.cluster, sim);
  FixedModels learner(believed);
  Recorder recorder(log);
  log.result = run(backend, policy,
                   {.cluster = world.cluster,
                    .signals = world.signals,
                    .forecasts = world.forecasts,
                    .costs = world.costs,
                    .start = world.start(),
                    .learner = &learner,
                    .explain = explain},
                   recorder);
  return log;
}

/// Runs a policy that knows how jobs scale.
inline RunLog run_logged(const World& world, Policy& policy) {
  return run_logged(world, policy, world.models);
}

/// A policy of the registry; the name and options must be known.
inline std::unique_ptr<Policy> policy_for(const World& world, std::string_view policy,
                                          const Options& options) {
  auto made = core_policies().make(
      {.cluster = world.cluster, .costs = world.costs, .start = world.start()}, policy, options);
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    std::abort();
  }
  return *std::move(made);
}

inline RunLog run_logged(const World& world, std::string_view policy, const Options& options) {
  return run_logged(world, *policy_for(world, policy, options));
}

/// The same with reasons.
inline RunLog run_explained(const World& world, Policy& policy) {
  return run_logged(world, policy, world.models, true);
}
inline RunLog run_explained(const World& world, std::string_view policy, const Options& options) {
  return run_explained(world, *policy_for(world, policy, options));
}

}  // namespace penstock
