#include "policies/elastic/powerflow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "policies/elastic/curve.h"
#include "policies/elastic/plan.h"
#include "policies/elastic/value_plan.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

struct ProfilingRun {
  std::uint32_t gpus = 1;
  double clock = 1;  ///< relative to the highest
};
constexpr std::array kRuns{ProfilingRun{1, 1}, ProfilingRun{1, 0.6}, ProfilingRun{2, 1}};

std::uint32_t nearest_clock(double relative, const GpuType& type) {
  const auto clocks = chosen_clocks(type);
  return *std::ranges::min_element(
      clocks, {}, [&](std::uint32_t mhz) { return std::abs(mhz - relative * type.max_clock_mhz); });
}

/// The batch that was asked for or, where another may be chosen and this one does not fit, the
/// nearest that one GPU can hold and so can any number.
double possible_batch(const AllocationJob& job, bool adapts) {
  const BatchRange& range = job.profile->batch;
  if (!adapts || range.accumulates || !adapts_batch(*job.profile)) return job.state->job.batch;
  return std::clamp(job.state->job.batch, range.least,
                    std::max(range.least, std::min(range.most, range.local_most)));
}

/// Nothing if the job cannot run so.
std::optional<Way> way_of(const ProfilingRun& run, const AllocationJob& job, bool adapts,
                          const AllocationProblem& problem) {
  const GpuType& type = problem.gpu_type();
  const std::uint32_t mhz = nearest_clock(run.clock, type);
  if (run.clock < 1 && mhz == type.max_clock_mhz) return std::nullopt;
  const double clock = type.max_clock_mhz == 0 ? 1 : double(mhz) / type.max_clock_mhz;
  const Config config{.gpus = run.gpus,
                      .nodes = (run.gpus + problem.node_gpus - 1) / problem.node_gpus,
                      .batch = possible_batch(job, adapts),
                      .clock = clock};
  if (!runs(*job.profile, config)) return std::nullopt;
  return Way{.gpus = run.gpus,
             .clock_mhz = mhz,
             .batch = config.batch,
             .draw = std::max(draw(*job.profile, config) - type.idle * run.gpus, Watts(1))};
}

bool runs_that_way(const AllocationJob& job, const Way& run) {
  return job.gpus_now == run.gpus && job.state->phase == Phase::running &&
         job.state->clock_mhz == run.clock_mhz && job.state->batch == run.batch;
}

}  // namespace

bool Profiling::settle(AllocationProblem& problem, PlanLimits& left) {
  if (!each_) return false;
  bool any = false;
  std::set<KindId> kinds;
  for (AllocationJob& job : problem.jobs) {
    if (job.profile == nullptr) continue;
    const KindId kind = *job.state->job.kind_id;
    if (problem.view.models.is_guess(kind, problem.type) && kinds.insert(kind).second)
      any |= settle(job, problem, left);
  }
  return any;
}

bool Profiling::settle(AllocationJob& job, AllocationProblem& problem, PlanLimits& left) {
  const auto run = next_run(job, problem);
  if (!run) return false;
  const Joules energy = run->draw * *each_;
  if (run->gpus > left.gpus || run->draw > left.power || energy > left.energy) return false;
  left.gpus -= run->gpus;
  left.power -= run->draw;
  left.energy -= energy;
  job.gpus = run->gpus;
  job.knobs = {run->clock_mhz, run->batch};
  if (problem.view.explain)
    job.why = "a run of " + duration_label(*each_) + " to find out how its kind of training scales";
  const Time begins = runs_that_way(job, *run) ? job.state->work_begins : problem.view.now;
  problem.ask_again = std::min(problem.ask_again.value_or(Time::max()), begins + *each_);
  return true;
}

std::optional<Way> Profiling::next_run(const AllocationJob& job, const AllocationProblem& problem) {
  for (std::uint32_t& made = made_[*job.state->job.kind_id]; made < kRuns.size(); ++made) {
    const auto run = way_of(kRuns[made], job, adapts_batch_, problem);
    if (run && !is_made(job, *run, problem.view.now)) return run;
  }
  return std::nullopt;
}

bool Profiling::is_made(const AllocationJob& job, const Way& run, Time now) const {
  return runs_that_way(job, run) && now - job.state->work_begins >= *each_;
}

namespace {

/// What the whole cluster draws, PUE included.
struct ClusterDraw {
  Watts floor{};  ///< without any job, were all nodes awake
  Watts span{};   ///< how much more with jobs, at most
  Watts here{};   ///< the same of the problem's pool
};

ClusterDraw cluster_draw(const AllocationProblem& problem) {
  const Cluster& cluster = problem.view.state.cluster();
  ClusterDraw draw;
  for (const Node& node : cluster.nodes) {
    const GpuType& type = cluster.type(node);
    const double pue = problem.view.outlook.pue(node.site).value();
    const Watts span = (type.peak - type.idle) * (node.gpus * pue);
    draw.floor += idle_draw(cluster, node, NodePhase::awake).total() * pue;
    draw.span += span;
    if (node.site == problem.site && node.type == problem.type) draw.here += span;
  }
  return draw;
}

std::vector<std::uint32_t> shortest_first(std::span<const PlanJob> jobs) {
  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<Duration> ahead;
  for (const PlanJob& job : jobs) ahead.push_back(time_ahead(job, job.curve->way(0)));
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return ahead[i]; });
  return order;
}

std::vector<PlanJob> in_order(std::span<const PlanJob> jobs, std::span<const std::uint32_t> order) {
  std::vector<PlanJob> sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t i : order) sorted.push_back(jobs[i]);
  return sorted;
}

/// The part of what the whole cluster may use that is for this pool, PUE excluded: pools share by
/// what they can draw.
double share_of(const AllocationProblem& problem, const ClusterDraw& draw) {
  return draw.here / draw.span / problem.view.outlook.pue(problem.site).value();
}

/// Of a job that has left a pool, perhaps for another.
Work left_elsewhere(JobId id, const View& view) {
  const JobState* job = view.state.find(id);
  return job == nullptr || job->phase == Phase::ended ? Work{} : job->left_at(view.now);
}

}  // namespace

Powerflow::Powerflow(const PowerflowOptions& options, Time start, PowerflowShared& shared)
    : options_(options),
      shared_(shared),
      run_budget_(shared.run_budget ? &*shared.run_budget : nullptr),
      profiling_(options.profile, options.freedom.batch),
      curves_(options.freedom),
      start_(start),
      planned_at_(start) {
  if (run_budget_ != nullptr) pool_ = run_budget_->add_pool();
  if (shared_.types) type_pool_ = shared_.types->add_pool(curves_);
}

/// A job stopped after one slot must have got on by then, or it would restart for ever.
Duration Powerflow::slot(const AllocationProblem& problem) const {
  const Costs& costs = problem.view.state.costs();
  const Duration least = std::max(options_.slot, 4 * (costs.restart + costs.wake));
  // Within a run's budget little changes between events.
  return options_.budget->window ? least : 12 * least;
}

/// As much as can be drawn evenly for a while: what a window has saved is not used up at once, so
/// that jobs do not stop and go.
Watts Powerflow::cap(const AllocationProblem& problem) const {
  const Duration window = options_.budget->window.value_or(Duration::zero());
  return budget_->cap(std::max(slot(problem), window / 4));
}

/// A budget that stops jobs is kept until the next plan too, whatever the plan expects of them.
PlanLimits Powerflow::limits_until_next_plan(const AllocationProblem& problem) {
  PlanLimits limits{.gpus = problem.gpus};
  if (!options_.budget || (!options_.budget->window && options_.finishes)) return limits;
  const ClusterDraw draw = cluster_draw(problem);
  limits.power = (cap(problem) - draw.floor) * share_of(problem, draw) - problem.pinned_draw;
  return limits;
}

/// Both lists are in the order of jobs' numbers. A pinned job that is not there any more has
/// started, and counts by what pinned jobs draw.
Joules Powerflow::expected_since_last_plan(const AllocationProblem& problem) {
  Joules expected = pinned_draw_ * (problem.view.now - planned_at_);
  std::size_t at = 0;
  for (const PlannedJob& job : planned_) {
    while (at < problem.jobs.size() && problem.jobs[at].id < job.id) ++at;
    const bool is_there = at < problem.jobs.size() && problem.jobs[at].id == job.id;
    if (!is_there && job.pinned) continue;
    Work done = job.left;
    if (is_there) done -= problem.jobs[at].left;
    if (!is_there && shared_.types) done -= left_elsewhere(job.id, problem.view);
    expected += Joules(done.value() * job.joules_per_work);
  }
  return expected;
}

void Powerflow::note_planned(const AllocationProblem& problem, double price) {
  planned_.clear();
  for (std::size_t i = 0; i < problem.jobs.size(); ++i)
    planned_.push_back({problem.jobs[i].id, problem.jobs[i].state->job.pinned, jobs_[i].left,
                        joules_per_work(jobs_[i].curve->cheapest(price))});
  pinned_draw_ = problem.pinned_draw;
  planned_at_ = problem.view.now;
}

void Powerflow::note_arrivals(const AllocationProblem& problem) {
  std::vector<bool>& seen = shared_.types ? shared_.seen : seen_;
  for (const AllocationJob& job : problem.jobs) {
    if (job.id.index >= seen.size()) seen.resize(job.id.index + 1, false);
    if (seen[job.id.index]) continue;
    seen[job.id.index] = true;
    const Job& asked = job.state->job;
    ++arrivals_;
    asked_ += seconds(asked.requested) * asked.gpus;
    if (job.profile != nullptr)
      arrived_[curves_.key_of(job)] += asked.work;
    else
      rigid_arrived_ += rigid_way(job, problem).draw * asked.requested;
  }
}

PoolOutlook Powerflow::outlook(const AllocationProblem& problem) {
  note_arrivals(problem);
  PoolOutlook outlook{.rigid_arrived = rigid_arrived_,
                      .arrivals = arrivals_,
                      .asked = asked_,
                      .gpus = problem.packing.pool().total(),
                      .floor = machines_of(problem).floor,
                      .pinned = problem.pinned_ahead,
                      .expected = expected_since_last_plan(problem),
                      .pue = problem.view.outlook.pue(problem.site).value()};
  for (const auto& [key, work] : arrived_)
    if (const Curve* curve = curves_.with(key, problem))
      outlook.arrived.push_back({.curve = curve, .work = work});
  std::map<const Curve*, std::size_t> at;  // never gone through: addresses have no order
  for (const PlanJob& job : jobs_) {
    const auto [found, is_new] = at.try_emplace(job.curve, outlook.here.size());
    if (is_new) outlook.here.push_back({.curve = job.curve});
    CurveDemand& demand = outlook.here[found->second];
    demand.work += job.left;
    demand.longest = std::max(demand.longest, job.left);
  }
  return outlook;
}

void Powerflow::look(const AllocationProblem& problem) {
  curves_.renew(problem);
  jobs_.clear();
  for (const AllocationJob& job : problem.jobs)
    jobs_.push_back({&curves_.of(job, problem), job.left, job.restart, job.gpus_now});
  if (!options_.budget) return;
  if (!budget_) budget_.emplace(*options_.budget, start_, cluster_draw(problem).floor);
  budget_->meter(problem.view.now, problem.view.so_far.energy);
  if (run_budget_ == nullptr) return;
  run_budget_->meter(problem.view.now, problem.view.so_far.energy);
  run_budget_->report(pool_, outlook(problem));
}

/// What the jobs there are may use of a budget for the whole run: what the machines and, with a
/// horizon, jobs to come leave them at the least price of energy at which all keep within it.
void Powerflow::limit_run(const AllocationProblem& problem, std::span<const PlanJob> jobs,
                          PlanLimits& limits, PlanOptions& options) {
  const RunNeed& need = run_budget_->need();
  // As published there is no price, but jobs to come need theirs.
  if (options_.ranking != Ranking::published || run_budget_->has_horizon())
    options.energy_price = std::max(options.energy_price, run_budget_->price(need));
  const PoolMachines machines = machines_of(problem);
  const double share = share_of(problem, cluster_draw(problem));
  limits.energy = (budget_->left() * share - machines.floor * need.lasts) / run_budget_->excess();
  if (!options_.finishes) return;
  if (options_.ranking == Ranking::value) {  // the price does it
    limits.energy = PlanLimits{}.energy;
    return;
  }
  // Enough for all in the ways of this price, in whatever order they start.
  const double price = need.price * problem.view.outlook.pue(problem.site).value();
  Joules enough{};
  for (const PlanJob& job : jobs)
    enough += std::max(energy_ahead(job, job.curve->cheapest(price)),
                       energy_ahead(job, job.curve->way(0))) *
              (1 + 1e-9);
  limits.energy = std::max(limits.energy, enough);
}

/// By value, power is limited by a price too: then each joule is left out where it saves least.
Plan Powerflow::make_plan(std::span<const PlanJob> jobs, const PlanLimits& limits,
                          const PlanOptions& options) {
  if (options_.ranking == Ranking::published) return plan_greedily(jobs, limits, options);
  if (options_.ranking == Ranking::shares) return plan_by_shares(jobs, limits, options);
  if (!std::isfinite(limits.power.value()) && !std::isfinite(limits.energy.value()))
    return plan_by_value(jobs, limits, options);
  PricedPlan priced = plan_within(jobs, limits, options, power_price_);
  power_price_ = priced.price;
  return std::move(priced.plan);
}

/// Jobs that profile are settled first; the others share what is left.
void Powerflow::plan(AllocationProblem& problem) {
  std::vector<std::uint32_t> order = shortest_first(jobs_);
  PlanLimits left = limits_until_next_plan(problem);
  PlanOptions options = options_.plan;
  if (run_budget_ != nullptr) limit_run(problem, in_order(jobs_, order), left, options);
  options.energy_price *=
      problem.view.outlook.pue(problem.site).value();  // it is of metered energy
  if (run_budget_ != nullptr) note_planned(problem, options.energy_price);
  if (profiling_.settle(problem, left))
    std::erase_if(order, [&](std::uint32_t i) { return problem.jobs[i].runs(); });
  const std::vector<PlanJob> planned = in_order(jobs_, order);
  const Plan plan = make_plan(planned, left, options);
  if (shared_.types)
    shared_.types->note_price(type_pool_, std::max(options.energy_price, power_price_));
  problem.energy_price = options.energy_price;
  if (problem.view.explain) {
    const std::vector<std::string> why = plan_reasons(planned, plan, left);
    for (std::size_t i = 0; i < why.size(); ++i) problem.jobs[order[i]].why = why[i];
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    const Way& way = jobs_[order[i]].curve->way(*plan[i]);
    AllocationJob& job = problem.jobs[order[i]];
    job.gpus = way.gpus;
    if (job.profile != nullptr) job.knobs = {way.clock_mhz, way.batch};
  }
}

void Powerflow::allocate(AllocationProblem& problem) {
  plan(problem);
  if (!budget_ || problem.jobs.empty()) return;
  const bool anyone_ran =
      std::exchange(anyone_ran_, std::ranges::any_of(problem.jobs, &AllocationJob::runs));
  if (anyone_ran || anyone_ran_ || budget_->may_recover())
    problem.ask_again =
        std::min(problem.ask_again.value_or(Time::max()), problem.view.now + slot(problem));
}

}  // namespace penstock
