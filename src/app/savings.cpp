#include "app/savings.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "experiment/comparison.h"
#include "experiment/policy_choice.h"
#include "experiment/policy_run.h"
#include "report/measures/metrics.h"
#include "serve/journal/journal_trace.h"

namespace penstock {
namespace {

using Outcomes = std::map<std::string, MeasureValues, std::less<>>;

constexpr double kJoulesInKwh = 3.6e6;

/// Writes down what became of each job, by its name.
class Witness final : public Observer {
 public:
  void before(const Batch& /*batch*/, const State& /*state*/, const Ledger& /*ledger*/) override {}
  void decided(Time /*now*/, const Decision& /*decision*/, const State& /*state*/) override {}
  void ended(const JobRecord& record) override {
    MeasureValues values{record.bill.energy.value() / kJoulesInKwh,
                         (record.bill.cost + record.bill.rent).value(),
                         record.bill.carbon.value() / 1e3,
                         seconds(record.finish - record.job.submitted),
                         seconds(record.first_start - record.job.submitted),
                         std::nullopt};
    if (const auto late = tardiness(record)) values[5] = seconds(*late);
    outcomes_.emplace(record.job.name, values);
  }
  Outcomes take() { return std::move(outcomes_); }

 private:
  Outcomes outcomes_;
};

MeasureValues happened_to(const PastJob& job) {
  MeasureValues values{job.energy_j / kJoulesInKwh,
                       job.cost,
                       job.carbon_g / 1e3,
                       seconds(job.finish - job.submitted),
                       seconds(job.first_start - job.submitted),
                       std::nullopt};
  if (job.deadline) values[5] = std::max(0.0, seconds(job.finish - *job.deadline));
  return values;
}

std::string label_of(const PolicyChoice& choice) {
  std::string label = choice.name;
  for (const auto& [name, value] : choice.options) label += fmt::format(":{}={}", name, value);
  return label;
}

/// First come, first served with easy backfill, as asked and at the highest clock; where jobs have
/// homes they stay there.
PolicyChoice usual_former(const Scenario& scenario) {
  if (default_policy(scenario).name == "geo")
    return {.name = "geo",
            .options = {{"router", "local"}, {"site", "fifo"}, {"site.backfill", "easy"}}};
  return {.name = "fifo", .options = {{"backfill", "easy"}}};
}

/// Since when mode and policy have been as they are at the end.
Time settled_since(const std::vector<Beginning>& all) {
  const Beginning& last = all.back();
  Time since = last.when;
  for (const Beginning& each : all | std::views::reverse) {
    if (each.mode != last.mode || each.policy != last.policy || each.options != last.options) break;
    since = each.when;
  }
  return since;
}

/// All that was read before anything is simulated.
struct Ground {
  Variant variant{};
  PolicyChoice policy{};
  PolicyChoice former{};
};

Result<std::unique_ptr<Ground>> prepare(const SavingsRequest& request, const Beginning& last,
                                        Time from) {
  auto ground = std::make_unique<Ground>();
  auto scenario = read_scenario_of({.journal = request.journal}, {});
  if (!scenario) return std::move(scenario).error();
  ground->variant.scenario = *std::move(scenario);
  WorkloadSpec& spec = ground->variant.scenario.workload;
  spec.options.from = from;
  spec.options.strict = false;  // one bad entry must not silence all others
  spec.drop_oversized = true;
  auto workload = load_workload(ground->variant.scenario);
  if (!workload) return std::move(workload).error();
  ground->variant.workload = *std::move(workload);
  ground->policy =
      request.policy.value_or(PolicyChoice{.name = last.policy, .options = last.options});
  ground->former = request.former.value_or(usual_former(ground->variant.scenario));
  for (const PolicyChoice& choice : {ground->policy, ground->former})
    if (auto fine = check_choice(choice); !fine) return std::move(fine).error();
  return ground;
}

Result<Outcomes> simulate(const Variant& variant, const PolicyChoice& policy) {
  Witness witness;
  const auto run = run_policy({.variant = variant, .policy = policy, .watcher = &witness});
  if (!run) return Error(run.error()).in(label_of(policy));
  return witness.take();
}

/// Jobs that ended in all three worlds, in order of submission.
std::vector<ComparedJob> join(const Workload& workload, const PastJobs& journal,
                              const Outcomes& former, const Outcomes& ours) {
  std::vector<ComparedJob> jobs;
  for (const TracedJob& traced : workload.jobs) {
    const auto past = journal.find(traced.job.name);
    const auto then = former.find(traced.job.name);
    const auto now = ours.find(traced.job.name);
    if (past != journal.end() && then != former.end() && now != ours.end())
      jobs.push_back({happened_to(past->second), then->second, now->second});
  }
  return jobs;
}

void add_notes(Savings& savings, const Ground& ground, const SavingsRequest& request,
               Time settled) {
  auto& notes = savings.notes;
  notes.emplace_back(
      "energy, cost and carbon are those of the jobs; what idle nodes draw is not counted");
  if (request.since && *request.since < settled)
    notes.push_back(
        fmt::format("mode or policy changed at {}: what happened before is compared "
                    "with the policy all the same",
                    format_time(settled)));
  const auto& scenario = ground.variant.scenario.notes;
  notes.insert(notes.end(), scenario.begin(), scenario.end());
  const auto& remarks = ground.variant.workload.remarks;
  notes.insert(notes.end(), remarks.begin(), remarks.end());
}

/// What is known without simulating.
Savings frame(const SavingsRequest& request, const Beginning& last, Time from,
              const PastJobs& journal) {
  Savings savings{.mode = last.mode, .from = from};
  savings.policy =
      label_of(request.policy.value_or(PolicyChoice{.name = last.policy, .options = last.options}));
  if (request.former) savings.former = label_of(*request.former);
  for (const auto& [name, job] : journal) {
    if (job.submitted < from) continue;
    ++savings.jobs;
    savings.until = std::max(savings.until.value_or(job.finish), job.finish);
  }
  return savings;
}

}  // namespace

Result<Savings> work_out_savings(const SavingsRequest& request) {
  const auto beginnings = read_beginnings(request.journal);
  if (!beginnings) return beginnings.error();
  const Beginning& last = beginnings->back();
  const Time settled = settled_since(*beginnings);
  const Time from = request.since.value_or(settled);
  const auto journal = read_past_jobs(request.journal);
  if (!journal) return journal.error();
  Savings savings = frame(request, last, from, *journal);
  if (savings.jobs < request.least_jobs) {
    savings.notes.push_back(
        fmt::format("no savings are stated: {} jobs were submitted and have ended since {}, and "
                    "fewer than {} say nothing",
                    savings.jobs, format_time(from), request.least_jobs));
    return savings;
  }
  const auto ground = prepare(request, last, from);
  if (!ground) return ground.error();
  const auto former = simulate((*ground)->variant, (*ground)->former);
  if (!former) return former.error();
  const auto ours = simulate((*ground)->variant, (*ground)->policy);
  if (!ours) return ours.error();
  savings.former = label_of((*ground)->former);
  savings.currency = (*ground)->variant.scenario.currency;
  compare(join((*ground)->variant.workload, *journal, *former, *ours), savings);
  add_notes(savings, **ground, request, settled);
  return savings;
}

}  // namespace penstock
