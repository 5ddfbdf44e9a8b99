#include "daemon/savings.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "experiment/comparison.h"
#include "experiment/policy_choice.h"
#include "experiment/policy_run.h"
#include "journal/journal_trace.h"
#include "registry/registry.h"
#include "report/measures/metrics.h"

namespace penstock {
namespace {

using MeasuresByJob = std::map<std::string, MeasureValues, std::less<>>;

constexpr auto kSavingsKept = std::chrono::minutes(2);

/// Writes down what became of each job, by its name.
class OutcomeRecorder final : public Observer {
 public:
  void before(const Batch& /*batch*/, const State& /*state*/, const Ledger& /*ledger*/) override {}
  void decided(Time /*now*/, const Decision& /*decision*/, const State& /*state*/) override {}
  void ended(const JobRecord& record) override {
    MeasureValues values{record.bill.energy.value() / kJoulesPerKwh,
                         (record.bill.cost + record.bill.rent).value(),
                         record.bill.carbon.value() / 1e3,
                         seconds(record.finish - record.job.submitted),
                         seconds(record.first_start - record.job.submitted),
                         std::nullopt};
    if (const auto late = tardiness(record)) values[5] = seconds(*late);
    outcomes_.emplace(record.job.name, values);
  }
  MeasuresByJob take() { return std::move(outcomes_); }

 private:
  MeasuresByJob outcomes_;
};

MeasureValues outcome_measures(const RecordedOutcome& job) {
  MeasureValues values{job.energy_j / kJoulesPerKwh,
                       job.cost,
                       job.carbon_g / 1e3,
                       seconds(job.finish - job.submitted),
                       seconds(job.first_start - job.submitted),
                       std::nullopt};
  if (job.deadline) values[5] = std::max(0.0, seconds(job.finish - *job.deadline));
  return values;
}

/// First come, first served with easy backfill, as asked and at the highest clock; where jobs have
/// homes they stay there.
PolicyChoice default_former(const Scenario& scenario) {
  const PolicyEntry* policy = every_policy().find(default_policy(scenario).name);
  PolicyChoice former{.name = "fifo", .options = {{"backfill", "easy"}}};
  if (policy != nullptr && policy->traits.holds_sites) return policy_at_home(former);
  return former;
}

/// Since when mode and policy have been as they are at the end.
Time settled_since(const std::vector<DaemonStart>& all) {
  const DaemonStart& last = all.back();
  Time since = last.when;
  for (const DaemonStart& each : all | std::views::reverse) {
    if (each.mode != last.mode || each.policy != last.policy || each.options != last.options) break;
    since = each.when;
  }
  return since;
}

/// All that was read before anything is simulated.
struct SavingsInputs {
  Variant variant{};
  PolicyChoice policy{};
  PolicyChoice former{};
};

Result<std::unique_ptr<SavingsInputs>> read_savings_inputs(const SavingsRequest& request,
                                                           const DaemonStart& last, Time from) {
  auto inputs = std::make_unique<SavingsInputs>();
  auto scenario = read_scenario_of({.journal = request.journal}, {});
  if (!scenario) return std::move(scenario).error();
  inputs->variant.scenario = *std::move(scenario);
  WorkloadSpec& spec = inputs->variant.scenario.workload;
  spec.options.from = from;
  spec.options.strict = false;  // one bad entry must not silence all others
  spec.drop_oversized = true;
  auto workload = load_workload(inputs->variant.scenario);
  if (!workload) return std::move(workload).error();
  inputs->variant.workload = *std::move(workload);
  inputs->policy =
      request.policy.value_or(PolicyChoice{.name = last.policy, .options = last.options});
  inputs->former = request.former.value_or(default_former(inputs->variant.scenario));
  for (const PolicyChoice& choice : {inputs->policy, inputs->former})
    if (auto fine = check_choice(choice); !fine) return std::move(fine).error();
  return inputs;
}

Result<MeasuresByJob> simulate_outcomes(const Variant& variant, const PolicyChoice& policy) {
  OutcomeRecorder recorder;
  const auto run = run_policy({.variant = variant, .policy = policy, .observer = &recorder});
  if (!run) return Error(run.error()).in(choice_text(policy));
  return recorder.take();
}

/// Jobs that ended in all three worlds, in order of submission.
std::vector<ComparedJob> join_outcomes(const Workload& workload, const RecordedOutcomes& journal,
                                       const MeasuresByJob& former, const MeasuresByJob& ours) {
  std::vector<ComparedJob> jobs;
  for (const TracedJob& traced : workload.jobs) {
    const auto past = journal.find(traced.job.name);
    const auto then = former.find(traced.job.name);
    const auto now = ours.find(traced.job.name);
    if (past != journal.end() && then != former.end() && now != ours.end())
      jobs.push_back({outcome_measures(past->second), then->second, now->second});
  }
  return jobs;
}

void add_savings_notes(Savings& savings, const SavingsInputs& inputs, const SavingsRequest& request,
                       Time settled) {
  auto& notes = savings.notes;
  notes.emplace_back(
      "energy, cost and carbon are those of the jobs; what idle nodes draw is not counted");
  if (request.since && *request.since < settled)
    notes.push_back(
        fmt::format("mode or policy changed at {}: what happened before is compared "
                    "with the policy all the same",
                    format_time(settled)));
  const auto& scenario = inputs.variant.scenario.notes;
  notes.insert(notes.end(), scenario.begin(), scenario.end());
  const auto& remarks = inputs.variant.workload.notes;
  notes.insert(notes.end(), remarks.begin(), remarks.end());
}

/// What is known without simulating.
Savings savings_without_runs(const SavingsRequest& request, const DaemonStart& last, Time from,
                             const RecordedOutcomes& journal) {
  Savings savings{.mode = last.mode, .from = from};
  savings.policy = choice_text(
      request.policy.value_or(PolicyChoice{.name = last.policy, .options = last.options}));
  if (request.former) savings.former = choice_text(*request.former);
  for (const auto& [name, job] : journal) {
    if (job.submitted < from) continue;
    ++savings.jobs;
    savings.until = std::max(savings.until.value_or(job.finish), job.finish);
  }
  return savings;
}

}  // namespace

Result<Savings> compute_savings(const SavingsRequest& request) {
  const auto beginnings = read_daemon_starts(request.journal);
  if (!beginnings) return beginnings.error();
  const DaemonStart& last = beginnings->back();
  const Time settled = settled_since(*beginnings);
  const Time from = request.since.value_or(settled);
  const auto journal = read_recorded_outcomes(request.journal);
  if (!journal) return journal.error();
  Savings savings = savings_without_runs(request, last, from, *journal);
  if (savings.jobs < request.least_jobs) {
    savings.notes.push_back(
        fmt::format("no savings are stated: {} jobs were submitted and have ended since {}, and "
                    "fewer than {} say nothing",
                    savings.jobs, format_time(from), request.least_jobs));
    return savings;
  }
  const auto inputs = read_savings_inputs(request, last, from);
  if (!inputs) return inputs.error();
  const auto former = simulate_outcomes((*inputs)->variant, (*inputs)->former);
  if (!former) return former.error();
  const auto ours = simulate_outcomes((*inputs)->variant, (*inputs)->policy);
  if (!ours) return ours.error();
  savings.former = choice_text((*inputs)->former);
  savings.currency = (*inputs)->variant.scenario.currency;
  compare(join_outcomes((*inputs)->variant.workload, *journal, *former, *ours), savings);
  add_savings_notes(savings, **inputs, request, settled);
  return savings;
}

ApiResponse SavingsCache::known() {
  const std::scoped_lock lock(mutex_);
  if (kept_) return *kept_;
  return api_error(503, "savings are being worked out; possible: ask again in a moment");
}

ApiResponse SavingsCache::answer() {
  {
    const std::scoped_lock lock(mutex_);
    if (kept_ && Steady::now() - made_ < kSavingsKept) return *kept_;
  }
  const std::unique_lock computing(computing_, std::try_to_lock);
  if (!computing.owns_lock()) return known();
  const auto savings = compute_savings(request_);
  ApiResponse fresh =
      savings ? ApiResponse{200, savings_json(*savings)} : api_error(503, savings.error().message);
  const std::scoped_lock lock(mutex_);
  kept_ = fresh;
  made_ = Steady::now();
  return fresh;
}

}  // namespace penstock
