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

/// What the nodes of a problem draw besides the jobs on them. Of a node with a table of power that
/// is what it draws unused; that jobs on it draw by the table is not known here, nor to any curve:
/// they are taken for jobs on a node without one. No budget is kept with such nodes (make_elastic).
struct Machines {
  Watts floor{};      ///< whatever happens: all nodes asleep, or idle where none sleeps
  Watts awake{};      ///< on top, of the nodes that are awake, where idle ones sleep
  Watts gpu_share{};  ///< on top, for each GPU of all nodes were they awake
};

Machines machines_of(const AllocationProblem& problem) {
  Machines machines;
  Watts all{};
  const State& state = problem.view.state;
  for (std::uint32_t i = 0; i < state.cluster().nodes.size(); ++i) {
    const Node& node = state.cluster().nodes[i];
    if (node.site != problem.site || node.type != problem.type) continue;
    const Watts asleep = idle_draw(state.cluster(), node, NodePhase::asleep).total();
    const Watts idle = idle_draw(state.cluster(), node, NodePhase::awake).total();
    machines.floor += problem.nodes_sleep ? asleep : idle;
    if (!problem.nodes_sleep) continue;
    all += idle - asleep;
    if (state.node(NodeId{i}).phase == NodePhase::awake) machines.awake += idle - asleep;
  }
  machines.gpu_share = all / problem.packing.pool().total();
  return machines;
}

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

/// Where jobs wait for GPUs, the machines stay on for as long as the work takes: then a GPU in
/// use costs its part of them, whether idle nodes sleep or not.
CurveContext context(const AllocationProblem& problem, bool crowded) {
  const Machines machines = machines_of(problem);
  const std::uint32_t gpus = problem.packing.pool().total();
  return {.node_gpus = problem.node_gpus,
          .most_gpus = gpus,
          .idle = problem.gpu_type().idle,
          .node = crowded && !problem.nodes_sleep ? machines.floor / gpus : machines.gpu_share};
}

Way rigid_way(const AllocationJob& job, const AllocationProblem& problem) {
  const GpuType& type = problem.gpu_type();
  const std::uint32_t gpus = job.state->job.gpus;
  return {.gpus = gpus,
          .clock_mhz = type.max_clock_mhz,
          .batch = job.state->job.batch,
          .speed = job.state->job.asked_speed(),
          .draw = (type.peak - type.idle) * gpus};
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

}  // namespace

Powerflow::Powerflow(const PowerflowOptions& options, Time start)
    : options_(options),
      profiling_(options.profile, options.adapts_batch),
      start_(start),
      metered_(start) {}

Powerflow::CurveKey Powerflow::key_of(const AllocationJob& job, bool crowded) const {
  const Job& asked = job.state->job;
  const bool keeps_batch = !options_.adapts_batch || !adapts_batch(*job.profile);
  const bool is_large = asked.gpus > job.profile->gpus_most;
  return {.kind = *asked.kind_id,
          .asked = {.keeps_batch = keeps_batch,
                    .batch = keeps_batch || is_large ? asked.batch : 0,
                    .gpus = is_large ? asked.gpus : 0},
          .crowded = crowded};
}

/// Nothing if no power of two holds any of its batches.
const Curve* Powerflow::curve_with(const CurveKey& key, const AllocationProblem& problem) {
  const auto known = curves_.find(key);
  if (known != curves_.end()) return &known->second;
  const Profile* profile = problem.view.models.find(key.kind, problem.type);
  if (profile == nullptr) return nullptr;
  Curve curve(*profile, problem.gpu_type(), context(problem, key.crowded), key.asked);
  return curve.empty() ? nullptr : &curves_.emplace(key, std::move(curve)).first->second;
}

/// A job that has no curve runs as asked.
const Curve& Powerflow::curve_of(const AllocationJob& job, const AllocationProblem& problem,
                                 bool crowded) {
  if (job.profile != nullptr)
    if (const Curve* curve = curve_with(key_of(job, crowded), problem)) return *curve;
  return rigid_.insert_or_assign(job.id, Curve(rigid_way(job, problem))).first->second;
}

/// A job stopped after one slot must have got on by then, or it would restart for ever.
Duration Powerflow::slot(const AllocationProblem& problem) const {
  const Costs& costs = problem.view.state.costs();
  const Duration least = std::max(options_.slot, 4 * (costs.restart + costs.wake));
  // Within a run's budget little changes between events.
  return options_.budget->window ? least : 12 * least;
}

/// The part of what the whole cluster may use that is for this pool, PUE excluded: pools share by
/// what they can draw.
double share_of(const AllocationProblem& problem, const ClusterDraw& draw) {
  return draw.here / draw.span / problem.view.outlook.pue(problem.site).value();
}

void Powerflow::meter(const AllocationProblem& problem) {
  if (!budget_) budget_.emplace(*options_.budget, start_, cluster_draw(problem).floor);
  budget_->meter(problem.view.now, problem.view.so_far.energy);
}

/// A budget that stops jobs is kept until the next plan too, whatever the plan expects of them.
PlanLimits Powerflow::limits_until_next_plan(const AllocationProblem& problem) {
  PlanLimits limits{.gpus = problem.gpus};
  if (!options_.budget || (!options_.budget->window && options_.finishes)) return limits;
  const ClusterDraw draw = cluster_draw(problem);
  limits.power =
      (budget_->cap(slot(problem)) - draw.floor) * share_of(problem, draw) - problem.pinned_draw;
  return limits;
}

/// Nodes are not full to the last GPU, and those that have emptied do not sleep at once: as much as
/// until now.
Joules Powerflow::wasted_ahead(const AllocationProblem& problem, std::span<const PlanJob> jobs) {
  const Machines machines = machines_of(problem);
  Watts shared{};
  for (const PlanJob& job : jobs) shared += machines.gpu_share * job.gpus_now;
  wasted_ += unfilled_ * (problem.view.now - metered_);
  metered_ = problem.view.now;
  unfilled_ = machines.awake - shared;
  return wasted_ / std::max(problem.view.now - start_, Duration(1)) * budget_->ahead();
}

void Powerflow::note_arrivals(const AllocationProblem& problem) {
  for (const AllocationJob& job : problem.jobs) {
    if (job.id.index >= seen_.size()) seen_.resize(job.id.index + 1, false);
    if (seen_[job.id.index] || job.profile == nullptr) continue;
    seen_[job.id.index] = true;
    arrived_[key_of(job, false)] += job.state->job.work;
  }
}

/// Beyond three hours for a kilowatt-hour jobs get much slower and need hardly less; chosen on
/// traces that no result is reported of (docs/powerflow.md).
constexpr double kHighestPrice = 1e4 / kJoulesPerKwh;
constexpr double kFirstPrice = 1e3 / kJoulesPerKwh;
/// More is counted on than came: to be left with jobs and no energy is the worse mistake.
constexpr double kCaution = 1.3;

/// As if jobs went on to come as they came so far: how much more work of each kind is to come than
/// came.
double Powerflow::jobs_to_come(Time now) const {
  if (!options_.budget->horizon) return 0;
  const Duration grace = *options_.budget->horizon / 20;  // the first jobs are no prophets
  return kCaution *
         (budget_->ahead() / std::chrono::duration<double, std::milli>(now - start_ + grace));
}

/// Jobs to come are like those that came, whether any of these is still there or not.
std::vector<CurveDemand> Powerflow::demands(const AllocationProblem& problem,
                                            std::span<const PlanJob> jobs, bool crowded) {
  std::vector<CurveDemand> all;
  std::map<const Curve*, std::size_t> at;  // never gone through: addresses have no order
  const auto of = [&](const Curve* curve) -> CurveDemand& {
    const auto [found, fresh] = at.try_emplace(curve, all.size());
    if (fresh) all.push_back({.curve = curve});
    return all[found->second];
  };
  const double to_come = jobs_to_come(problem.view.now);
  for (const auto& [uncrowded, work] : arrived_) {
    CurveKey key = uncrowded;
    key.crowded = crowded;
    if (const Curve* curve = curve_with(key, problem)) of(curve).work += work * to_come;
  }
  for (const PlanJob& job : jobs) {
    CurveDemand& demand = of(job.curve);
    demand.work += job.left;
    demand.longest = std::max(demand.longest, job.left);
  }
  return all;
}

namespace {

/// GPU-seconds for a unit of work, in the way that needs least of them.
double least_gpu_seconds(const Curve& curve) {
  double least = std::numeric_limits<double>::infinity();
  for (const Way& way : curve.ways()) least = std::min(least, seconds_per_work(way) * way.gpus);
  return least;
}

}  // namespace

RunNeed need_at(double price, std::span<const CurveDemand> demands, const RunOutlook& outlook) {
  RunNeed need{.price = price};
  Duration lasts = outlook.ahead;
  double gpu_seconds = 0;
  for (const CurveDemand& demand : demands) {
    const Way& way = demand.curve->cheapest(price);
    need.jobs += Joules(joules_per_work(way) * demand.work.value());
    gpu_seconds += least_gpu_seconds(*demand.curve) * demand.work.value();
    lasts = std::max(lasts, demand.longest / way.speed);
  }
  const Duration busy = ceil_duration(gpu_seconds / std::max(outlook.gpus, 1u));
  lasts = std::max(lasts, busy);
  need.machines = outlook.floor * (outlook.busy_in_ways ? lasts - busy : lasts);
  return need;
}

RunNeed cheapest_need(std::span<const CurveDemand> demands, const RunOutlook& outlook,
                      Joules energy) {
  RunNeed best = need_at(0, demands, outlook);
  if (best.total() <= energy) return best;
  constexpr double kLowestPrice = 1 / kJoulesPerKwh;
  constexpr int kSteps = 48;
  for (int i = 0; i <= kSteps; ++i) {
    const double price = kLowestPrice * std::pow(kHighestPrice / kLowestPrice, double(i) / kSteps);
    const RunNeed need = need_at(price, demands, outlook);
    if (need.total() < best.total()) best = need;
    if (best.total() <= energy) break;
  }
  return best;
}

/// A high price is believed the more, the longer arrivals were looked at.
double Powerflow::believed_price(double price, const AllocationProblem& problem) const {
  if (price <= kFirstPrice) return price;
  const Duration gone = problem.view.now - start_;
  const Duration grace = *options_.budget->horizon / 20;
  return kFirstPrice * std::pow(price / kFirstPrice, seconds(gone) / seconds(gone + grace));
}

/// What the jobs there are may use of a budget for the whole run: what the machines and, with a
/// horizon, jobs to come leave them at the least price of energy at which all keep within it.
void Powerflow::limit_run(const AllocationProblem& problem, std::span<const PlanJob> jobs,
                          bool crowded, PlanLimits& limits, PlanOptions& options) {
  note_arrivals(problem);
  const Joules left =
      budget_->left() * share_of(problem, cluster_draw(problem)) - wasted_ahead(problem, jobs);
  const std::vector<CurveDemand> all = demands(problem, jobs, crowded);
  const RunNeed need = cheapest_need(all,
                                     {.gpus = problem.gpus,
                                      .floor = machines_of(problem).floor,
                                      .busy_in_ways = crowded && !problem.nodes_sleep,
                                      .ahead = budget_->ahead()},
                                     left);
  limits.energy = left - need.machines;
  if (options_.budget->horizon) {
    options.energy_price = std::max(options.energy_price, believed_price(need.price, problem));
    if (crowded)
      options.crowding = static_cast<double>(problem.jobs.size() - problem.gpus) / problem.gpus;
  }
  if (!options_.finishes) return;
  // Enough for all in the ways of this price, in whatever order they start.
  Joules enough{};
  for (const PlanJob& job : jobs)
    enough += std::max(energy_ahead(job, job.curve->cheapest(need.price)),
                       energy_ahead(job, job.curve->way(0))) *
              (1 + 1e-9);
  limits.energy = std::max(limits.energy, enough);
}

/// Curves of what is believed now; of kinds too that have no job here at present.
void Powerflow::renew_curves(const AllocationProblem& problem) {
  rigid_.clear();
  if (version_ == problem.view.models.version()) return;
  version_ = problem.view.models.version();
  for (auto& [key, curve] : curves_)
    if (const Profile* profile = problem.view.models.find(key.kind, problem.type))
      curve = Curve(*profile, problem.gpu_type(), context(problem, key.crowded), key.asked);
}

/// Jobs that profile are settled first; the others share what is left.
void Powerflow::plan(AllocationProblem& problem) {
  const bool crowded = problem.jobs.size() > problem.gpus;
  std::vector<PlanJob> unsorted;
  unsorted.reserve(problem.jobs.size());
  for (const AllocationJob& job : problem.jobs)
    unsorted.push_back({&curve_of(job, problem, crowded), job.left, job.restart, job.gpus_now});
  std::vector<std::uint32_t> order = shortest_first(unsorted);
  if (options_.budget) meter(problem);
  PlanLimits left = limits_until_next_plan(problem);
  PlanOptions options = options_.plan;
  if (options_.budget && !options_.budget->window)
    limit_run(problem, in_order(unsorted, order), crowded, left, options);
  if (profiling_.settle(problem, left))
    std::erase_if(order, [&](std::uint32_t i) { return problem.jobs[i].runs(); });
  const auto make_plan = options_.by_shares ? plan_by_shares : plan_greedily;
  const std::vector<PlanJob> planned = in_order(unsorted, order);
  const Plan plan = make_plan(planned, left, options);
  if (problem.view.explain) {
    const std::vector<std::string> why = plan_reasons(planned, plan, left);
    for (std::size_t i = 0; i < why.size(); ++i) problem.jobs[order[i]].why = why[i];
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    const Way& way = unsorted[order[i]].curve->way(*plan[i]);
    AllocationJob& job = problem.jobs[order[i]];
    job.gpus = way.gpus;
    if (job.profile != nullptr) job.knobs = {way.clock_mhz, way.batch};
  }
}

void Powerflow::allocate(AllocationProblem& problem) {
  renew_curves(problem);
  plan(problem);
  if (!budget_ || problem.jobs.empty()) return;
  const bool anyone_ran =
      std::exchange(anyone_ran_, std::ranges::any_of(problem.jobs, &AllocationJob::runs));
  if (anyone_ran || anyone_ran_ || budget_->may_recover())
    problem.ask_again =
        std::min(problem.ask_again.value_or(Time::max()), problem.view.now + slot(problem));
}

}  // namespace penstock
