#include "policy/elastic/powerflow.h"

#include <algorithm>
#include <numeric>

#include "policy/elastic/energy_price.h"
#include "policy/elastic/plan_shares.h"

namespace penstock {
namespace {

/// What the nodes of a board draw besides the jobs on them.
struct Machines {
  Watts floor{};      ///< whatever happens: all nodes asleep, or idle where none sleeps
  Watts awake{};      ///< on top, of the nodes that are awake, where idle ones sleep
  Watts one_node{};   ///< on top, of the hungriest node while awake, where idle ones sleep
  Watts gpu_share{};  ///< on top, for each GPU of all nodes were they awake
};

Machines machines_of(const Board& board) {
  Machines machines;
  Watts all{};
  const GpuType& type = board.gpu_type();
  const State& state = board.view.state;
  for (std::uint32_t i = 0; i < state.cluster().nodes.size(); ++i) {
    const Node& node = state.cluster().nodes[i];
    if (node.site != board.site || node.type != board.type) continue;
    const Watts asleep = node.base_sleep + type.sleep * node.gpus;
    const Watts idle = node.base + type.idle * node.gpus;
    machines.floor += board.nodes_sleep ? asleep : idle;
    if (!board.nodes_sleep) continue;
    all += idle - asleep;
    machines.one_node = std::max(machines.one_node, idle - asleep);
    if (state.node(NodeId{i}).phase == NodePhase::awake) machines.awake += idle - asleep;
  }
  machines.gpu_share = all / board.packing.pool().total();
  return machines;
}

/// Where jobs wait for GPUs, the machines stay on for as long as the work takes: then a GPU in
/// use costs its part of them, whether idle nodes sleep or not.
Surroundings surroundings(const Board& board, bool crowded) {
  const Machines machines = machines_of(board);
  const std::uint32_t gpus = board.packing.pool().total();
  return {.node_gpus = board.node_gpus,
          .most_gpus = gpus,
          .idle = board.gpu_type().idle,
          .node = crowded && !board.nodes_sleep ? machines.floor / gpus : machines.gpu_share};
}

Way rigid_way(const BoardJob& job, const Board& board) {
  const GpuType& type = board.gpu_type();
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

}  // namespace

Powerflow::Powerflow(const PowerflowOptions& options, Time start)
    : options_(options), start_(start), metered_(start) {
  if (options.budget) budget_.emplace(*options.budget, start);
}

const Curve& Powerflow::curve_of(const BoardJob& job, const Board& board, bool crowded) {
  if (job.profile == nullptr)
    return rigid_.insert_or_assign(job.id, Curve(rigid_way(job, board))).first->second;
  const std::pair kind(*job.state->job.kind_id, crowded);
  const auto known = curves_.find(kind);
  if (known != curves_.end()) return known->second;
  return curves_.emplace(kind, Curve(*job.profile, board.gpu_type(), surroundings(board, crowded)))
      .first->second;
}

PlanLimits Powerflow::limits(const Board& board, std::span<const PlanJob> jobs, bool crowded) {
  PlanLimits limits{.gpus = board.gpus};
  if (!budget_) return limits;
  const View& view = board.view;
  budget_->meter(view.now, view.so_far.energy);
  const double part = options_.share / view.outlook.pue(board.site).value();
  const Machines machines = machines_of(board);
  Watts shared{};
  Duration longest = budget_->ahead();
  Duration backlog{};
  for (const PlanJob& job : jobs) {
    const Way& least = job.curve->way(0);
    shared += machines.gpu_share * job.gpus_now;
    longest = std::max(longest, time_ahead(job, job.curve->ways().back()));
    backlog += time_ahead(job, least) * least.gpus / board.gpus;
  }
  longest = std::max(longest, backlog);
  // Nodes are not full to the last GPU, and those that have emptied do not sleep at once.
  const Watts unfilled_now = machines.awake - shared;
  wasted_ += unfilled_last_ * (view.now - metered_);
  metered_ = view.now;
  unfilled_last_ = unfilled_now;
  const Watts unfilled = std::max(unfilled_now, machines.one_node);
  // What the ways count as their part of the machines is not counted once more.
  const bool in_ways = crowded && !board.nodes_sleep;
  limits.power = budget_->cap(options_.slot) * part - unfilled;
  if (!in_ways) limits.power -= machines.floor;
  const Watts wasted = wasted_ / std::max(view.now - start_, Duration(1));
  limits.energy = budget_->left() * part -
                  machines.floor * (in_ways ? longest - backlog : longest) -
                  wasted * budget_->ahead();
  return limits;
}

void Powerflow::note_arrivals(const Board& board) {
  for (const BoardJob& job : board.jobs) {
    if (job.id.index >= seen_.size()) seen_.resize(job.id.index + 1, false);
    if (seen_[job.id.index] || job.profile == nullptr) continue;
    seen_[job.id.index] = true;
    arrived_[*job.state->job.kind_id] += job.state->job.work;
  }
}

/// Beyond three hours for a kilowatt-hour jobs get much slower and need hardly less; chosen on
/// two traces that no result is reported of (docs/powerflow.md).
constexpr double kHighestPrice = 1e4 / kJoulesPerKwh;

/// As if jobs went on to come as they came so far: what a joule must be worth for the budget
/// to last until its horizon.
double Powerflow::price(const Board& board, std::span<const PlanJob> jobs, Joules energy,
                        bool crowded) {
  const Duration gone = board.view.now - start_;
  const Duration grace = *options_.budget->horizon / 20;  // the first jobs are no prophets
  const double to_come = budget_->ahead() / std::chrono::duration<double, std::milli>(gone + grace);
  std::vector<Demand> demands;
  const auto add = [&](const Curve* curve, Work work) {
    const auto known = std::ranges::find(demands, curve, &Demand::curve);
    known == demands.end() ? demands.push_back({curve, work}) : void(known->work += work);
  };
  for (const auto& [kind, work] : arrived_)
    if (const auto curve = curves_.find({kind, crowded}); curve != curves_.end())
      add(&curve->second, work * to_come);
  for (const PlanJob& job : jobs) add(job.curve, job.left);
  return std::min(energy_price(demands, energy), kHighestPrice);
}

void Powerflow::allocate(Board& board) {
  if (version_ != board.view.models.version()) curves_.clear();
  version_ = board.view.models.version();
  rigid_.clear();
  std::vector<PlanJob> unsorted;
  const bool crowded = board.jobs.size() > board.gpus;
  for (const BoardJob& job : board.jobs)
    unsorted.push_back({&curve_of(job, board, crowded), job.left, job.restart, job.gpus_now});
  const std::vector<std::uint32_t> order = shortest_first(unsorted);
  std::vector<PlanJob> jobs;
  for (const std::uint32_t i : order) jobs.push_back(unsorted[i]);
  const PlanLimits most = limits(board, jobs, crowded);
  PlanOptions options = options_.plan;
  if (budget_ && options_.budget->horizon) {
    note_arrivals(board);
    options.energy_price = std::max(options.energy_price, price(board, jobs, most.energy, crowded));
    if (crowded)
      options.crowding = static_cast<double>(board.jobs.size() - board.gpus) / board.gpus;
  }
  const auto make_plan = options_.by_shares ? plan_by_shares : plan_greedily;
  const Plan plan = make_plan(jobs, most, options);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    const Way& way = jobs[i].curve->way(*plan[i]);
    BoardJob& job = board.jobs[order[i]];
    job.gpus = way.gpus;
    if (job.profile != nullptr) job.knobs = {way.clock_mhz, way.batch};
  }
  if (!budget_ || board.jobs.empty()) return;
  const bool anyone_runs = std::ranges::any_of(board.jobs, &BoardJob::runs);
  if (!anyone_runs && !budget_->may_recover()) return;
  // Within a run's budget little changes between events.
  const Duration slot = options_.budget->window ? options_.slot : 12 * options_.slot;
  board.ask_again = board.view.now + slot;
}

}  // namespace penstock
