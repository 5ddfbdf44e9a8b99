#include "experiment/policy_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "engine/engine.h"
#include "experiment/budget_check.h"
#include "journal/journal_trace.h"
#include "policies/recorded.h"
#include "registry/registry.h"
#include "report/measures/metrics.h"
#include "sim/sim_backend.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

/// Asks another policy and takes the time.
class TimedPolicy final : public Policy {
 public:
  explicit TimedPolicy(Policy& inner) : inner_(inner) {}
  Decision decide(const View& view) override {
    const Clock::time_point before = Clock::now();
    Decision decision = inner_.decide(view);
    took_.add(std::chrono::nanoseconds(Clock::now() - before).count());
    return decision;
  }
  const Quantiles& took() const { return took_; }

 private:
  Policy& inner_;
  Quantiles took_;
};

/// A world that ends early if somebody asks for it.
class StoppableWorld final : public Backend {
 public:
  StoppableWorld(Backend& inner, std::stop_token stop) : inner_(inner), stop_(std::move(stop)) {}
  bool wait(std::optional<Time> until, Batch& batch) override {
    return !stop_.stop_requested() && inner_.wait(until, batch);
  }
  void execute(const Action& action, const State& state) override { inner_.execute(action, state); }
  Pace pace(const JobState& job) const override { return inner_.pace(job); }

 private:
  Backend& inner_;
  std::stop_token stop_;
};

/// Passes what it sees to the measures, the files, the details and the progress bar.
class Recorder final : public Observer {
 public:
  Recorder(std::optional<RunFiles>& files, const PolicyRunRequest& request)
      : files_(files),
        details_(request.details, request.variant.scenario, request.variant.workload.start),
        ended_(request.jobs_ended),
        observer_(request.observer) {
    const Variant& variant = request.variant;
    if (request.by_hour)
      use_.emplace(variant.scenario.cluster.sites.size(), variant.workload.start);
  }
  void before(const Batch& batch, const State& state, const Ledger& ledger) override {
    if (use_) use_->advance(batch.now, state);
    if (files_) files_->before(batch.now, state, ledger);
    details_.before(batch, state, ledger);
  }
  void decided(Time now, const Decision& decision, const State& state) override {
    if (files_) files_->decided(now, decision, state);
    details_.decided(now, decision, state);
  }
  void ended(const JobRecord& record) override {
    metrics_.add(record);
    if (files_) files_->ended(record);
    details_.ended(record);
    if (observer_ != nullptr) observer_->ended(record);
    if (ended_ != nullptr) ended_->fetch_add(1, std::memory_order_relaxed);
  }
  void stretched(const Stretch& stretch) override {
    if (files_) files_->stretched(stretch);
  }
  PolicyRun take(const RunTotals& totals) {
    PolicyRun run{.summary = metrics_.summary(totals), .details = details_.take()};
    for (std::size_t i = 0; use_ && i < run.summary.sites.size(); ++i)
      run.summary.sites[i].gpu_hours_by_hour.assign(use_->sites()[i].begin(),
                                                    use_->sites()[i].end());
    return run;
  }

 private:
  Metrics metrics_;
  std::optional<RunFiles>& files_;
  DetailRecorder details_;
  std::optional<HourlyUse> use_{};
  std::atomic<std::uint64_t>* ended_;
  Observer* observer_;
};

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

RunTotals totals_of(const RunResult& result, const PolicyRunRequest& request) {
  const Scenario& scenario = request.variant.scenario;
  RunTotals totals{.policy = request.policy.name,
                   .options = request.policy.options,
                   .jobs_submitted = result.submitted,
                   .first_submission = result.first_submission,
                   .resizes = result.resizes,
                   .migrations = result.migrations,
                   .node_sleeps = result.node_sleeps,
                   .events = result.events,
                   .decisions = result.decisions};
  totals.options.insert(request.variant.swept.begin(), request.variant.swept.end());
  totals.energy_budget = run_budget(request.policy);
  if (scenario.carbon_price > 0) totals.carbon_price_per_tonne = Money(scenario.carbon_price * 1e6);
  for (std::size_t i = 0; i < result.sites.size(); ++i) {
    const Site& site = scenario.cluster.sites[i];
    const SiteBill& bill = result.sites[i].bill;
    const SiteId id{static_cast<std::uint32_t>(i)};
    const bool marginal = scenario.signals[i].carbon_kind == CarbonKind::marginal;
    totals.sites.push_back({.name = site.name,
                            .nodes = site.nodes,
                            .gpus = site.gpus,
                            .jobs = bill.jobs,
                            .idle = bill.idle,
                            .overhead = bill.overhead,
                            .sent = result.sites[i].sent,
                            .rents = scenario.cluster.rents(id),
                            .busy_gpu_seconds = seconds(result.sites[i].gpu_time),
                            .carbon_kind = marginal ? "marginal" : "average",
                            .first_gpu = scenario.cluster.node(site.first_node).first.index,
                            .node_runs = node_runs(scenario.cluster, id)});
  }
  return totals;
}

/// A series that ends before the run does would have billed made-up prices.
Result<Done> check_end(const Scenario& scenario, Time end) {
  for (const SignalSpan& span : scenario.spans)
    if (span.until && *span.until < end)
      return Error{
          fmt::format("{}: {} ends at {}, but the run lasts until {}; possible: a longer "
                      "series, after_end = \"hold\" or after_end = \"repeat\"",
                      span.where, span.file, format_time(*span.until), format_time(end))};
  return Done{};
}

/// What a journal says was decided.
Result<std::unique_ptr<Policy>> recorded_policy(const WorkloadSpec& workload) {
  if (workload.format != "journal" || !workload.trace)
    return Error{
        fmt::format("policy: '{}' does again what a journal says was done, so it needs "
                    "one; possible: --journal FILE",
                    kRecordedPolicy)};
  auto past = read_recorded_outcomes(*workload.trace);
  if (!past) return std::move(past).error();
  RecordedRuns runs;
  for (auto& [name, job] : *past) runs.emplace(name, std::move(job.runs));
  return make_recorded(std::move(runs));
}

Result<std::unique_ptr<Policy>> policy_of(const PolicyRunRequest& request) {
  const Scenario& scenario = request.variant.scenario;
  if (request.policy.name == kRecordedPolicy) return recorded_policy(scenario.workload);
  return every_policy().make({.cluster = scenario.cluster,
                              .costs = scenario.costs,
                              .start = request.variant.workload.start,
                              .carbon_price = scenario.carbon_price,
                              .utility = scenario.utility},
                             request.policy.name, request.policy.options);
}

/// The policy, if it can run in the scenario.
Result<std::unique_ptr<Policy>> checked_policy(const PolicyRunRequest& request) {
  const Scenario& scenario = request.variant.scenario;
  auto policy = policy_of(request);
  if (!policy) return policy;
  if (auto fine = check_homes(request.policy, scenario); !fine) return std::move(fine).error();
  if (auto fine = check_budget(request.policy, scenario, request.variant.workload); !fine)
    return std::move(fine).error();
  return policy;
}

struct Simulated {
  RunResult result{};
  double wall_s = 0;
};

Simulated simulate(const PolicyRunRequest& request, Policy& policy, Observer& observer) {
  const Scenario& scenario = request.variant.scenario;
  const Workload& workload = request.variant.workload;
  const auto source = workload.source();
  SimBackend world(*source, scenario.cluster,
                   {.over_request = scenario.workload.over_request,
                    .failures = scenario.failures,
                    .outages = scenario.outages,
                    .outage_checkpoint = scenario.outage_checkpoint,
                    .seed = scenario.seed,
                    .start = workload.start,
                    .models = workload.kinds ? &workload.kinds->truth() : nullptr});
  StoppableWorld stoppable(world, request.stop);
  Backend& backend = request.stop.stop_possible() ? static_cast<Backend&>(stoppable) : world;
  const auto learner = make_learner(scenario, workload);
  const bool explain = (request.dir && request.files.decisions) || request.details.decisions;
  const Clock::time_point begun = Clock::now();
  Simulated simulated{.result = run(backend, policy,
                                    {.cluster = scenario.cluster,
                                     .signals = scenario.signals,
                                     .forecasts = scenario.forecasts,
                                     .costs = scenario.costs,
                                     .start = workload.start,
                                     .learner = learner.get(),
                                     .explain = explain},
                                    observer)};
  simulated.wall_s = std::chrono::duration<double>(Clock::now() - begun).count();
  return simulated;
}

}  // namespace

Result<PolicyRun> run_policy(const PolicyRunRequest& request) {
  const Scenario& scenario = request.variant.scenario;
  auto policy = checked_policy(request);
  if (!policy) return std::move(policy).error();
  std::optional<RunFiles> files;
  if (request.dir) {
    auto created =
        RunFiles::create(*request.dir, scenario, request.variant.workload.start, request.files);
    if (!created) return std::move(created).error();
    files.emplace(*std::move(created));
  }
  TimedPolicy timed(**policy);
  Recorder recorder(files, request);
  const Simulated simulated = simulate(request, timed, recorder);
  if (request.stop.stop_requested()) return Error{"the run was stopped"};
  if (const auto& end = simulated.result.last_finish)
    if (auto covered = check_end(scenario, *end); !covered) return std::move(covered).error();
  if (files)
    if (auto closed = files->close(); !closed) return std::move(closed).error();
  RunTotals totals = totals_of(simulated.result, request);
  totals.decision_ns = timed.took();
  totals.wall_s = simulated.wall_s;
  totals.peak_rss_mb = peak_rss_mb();
  return recorder.take(totals);
}

}  // namespace penstock
