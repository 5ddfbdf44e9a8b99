#include "policies/elastic/powerflow.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "policies/elastic/energy_price.h"
#include "policies/elastic/plan_shares.h"
#include "policies/elastic/plan_words.h"

namespace penstock {
namespace {

/// What the nodes of a board draw besides the jobs on them. Of a node with a table of power that
/// is what it draws unused; that jobs on it draw by the table is not known here, nor to any curve:
/// they are taken for jobs on a node without one. No budget is kept with such nodes (make_elastic).
struct Machines {
  Watts floor{};      ///< whatever happens: all nodes asleep, or idle where none sleeps
  Watts awake{};      ///< on top, of the nodes that are awake, where idle ones sleep
  Watts gpu_share{};  ///< on top, for each GPU of all nodes were they awake
};

Machines machines_of(const Board& board) {
  Machines machines;
  Watts all{};
  const State& state = board.view.state;
  for (std::uint32_t i = 0; i < state.cluster().nodes.size(); ++i) {
    const Node& node = state.cluster().nodes[i];
    if (node.site != board.site || node.type != board.type) continue;
    const Watts asleep = idle_draw(state.cluster(), node, NodePhase::asleep).total();
    const Watts idle = idle_draw(state.cluster(), node, NodePhase::awake).total();
    machines.floor += board.nodes_sleep ? asleep : idle;
    if (!board.nodes_sleep) continue;
    all += idle - asleep;
    if (state.node(NodeId{i}).phase == NodePhase::awake) machines.awake += idle - asleep;
  }
  machines.gpu_share = all / board.packing.pool().total();
  return machines;
}

/// What the whole cluster draws, PUE included.
struct ClusterDraw {
  Watts floor{};  ///< without any job, were all nodes awake
  Watts span{};   ///< how much more with jobs, at most
  Watts here{};   ///< the same of the board's pool
};

ClusterDraw cluster_draw(const Board& board) {
  const Cluster& cluster = board.view.state.cluster();
  ClusterDraw draw;
  for (const Node& node : cluster.nodes) {
    const GpuType& type = cluster.type(node);
    const double pue = board.view.outlook.pue(node.site).value();
    const Watts span = (type.peak - type.idle) * (node.gpus * pue);
    draw.floor += idle_draw(cluster, node, NodePhase::awake).total() * pue;
    draw.span += span;
    if (node.site == board.site && node.type == board.type) draw.here += span;
  }
  return draw;
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

std::vector<PlanJob> in_order(std::span<const PlanJob> jobs, std::span<const std::uint32_t> order) {
  std::vector<PlanJob> sorted;
  sorted.reserve(order.size());
  for (const std::uint32_t i : order) sorted.push_back(jobs[i]);
  return sorted;
}

}  // namespace

Powerflow::Powerflow(const PowerflowOptions& options, Time start)
    : options_(options), profiling_(options.profile), start_(start), metered_(start) {}

const Curve& Powerflow::curve_of(const BoardJob& job, const Board& board, bool crowded) {
  if (job.profile == nullptr)
    return rigid_.insert_or_assign(job.id, Curve(rigid_way(job, board))).first->second;
  const std::pair kind(*job.state->job.kind_id, crowded);
  const auto known = curves_.find(kind);
  if (known != curves_.end()) return known->second;
  Curve curve(*job.profile, board.gpu_type(), surroundings(board, crowded));
  if (!curve.empty()) return curves_.emplace(kind, std::move(curve)).first->second;
  // No power of two holds any of its batches: it runs as asked.
  return rigid_.insert_or_assign(job.id, Curve(rigid_way(job, board))).first->second;
}

/// A job stopped after one slot must have got on by then, or it would restart for ever.
Duration Powerflow::slot(const Board& board) const {
  const Costs& costs = board.view.state.costs();
  const Duration least = std::max(options_.slot, 4 * (costs.restart + costs.wake));
  // Within a run's budget little changes between events.
  return options_.budget->window ? least : 12 * least;
}

PlanLimits Powerflow::limits(const Board& board, std::span<const PlanJob> jobs, bool crowded) {
  PlanLimits limits{.gpus = board.gpus};
  if (!options_.budget) return limits;
  const ClusterDraw draw = cluster_draw(board);
  if (!budget_) budget_.emplace(*options_.budget, start_, draw.floor);
  budget_->meter(board.view.now, board.view.so_far.energy);
  // What the pools share is divided by what they can draw.
  const double share = draw.here / draw.span / board.view.outlook.pue(board.site).value();
  limits.power = (budget_->cap(slot(board)) - draw.floor) * share - board.pinned_draw;
  if (!options_.budget->window)
    limits.energy = budget_->left() * share - machines_ahead(board, jobs, crowded);
  return limits;
}

/// The energy that the machines will need besides what the ways of the jobs count.
Joules Powerflow::machines_ahead(const Board& board, std::span<const PlanJob> jobs, bool crowded) {
  const Machines machines = machines_of(board);
  Watts shared{};
  Duration longest = budget_->ahead();
  Duration backlog{};
  for (const PlanJob& job : jobs) {
    const Way& least = job.curve->way(0);
    shared += machines.gpu_share * job.gpus_now;
    longest = std::max(longest, time_ahead(job, job.curve->ways().back()));
    backlog += time_ahead(job, least) * least.gpus / std::max(board.gpus, 1u);
  }
  // Nodes are not full to the last GPU, and those that have emptied do not sleep at once.
  wasted_ += unfilled_ * (board.view.now - metered_);
  metered_ = board.view.now;
  unfilled_ = machines.awake - shared;
  const Watts wasted = wasted_ / std::max(board.view.now - start_, Duration(1));
  const bool in_ways = crowded && !board.nodes_sleep;
  longest = std::max(longest, backlog);
  return machines.floor * (in_ways ? longest - backlog : longest) + wasted * budget_->ahead();
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
/// traces that no result is reported of (docs/powerflow.md).
constexpr double kHighestPrice = 1e4 / kJoulesPerKwh;
/// More is counted on than came: to be left with jobs and no energy is the worse mistake.
constexpr double kCaution = 1.3;
constexpr double kFirstPrice = 1e3 / kJoulesPerKwh;

/// As if jobs went on to come as they came so far: what a joule must be worth for the budget
/// to last until its horizon.
double Powerflow::price(const Board& board, std::span<const PlanJob> jobs, Joules energy,
                        bool crowded) {
  const Duration gone = board.view.now - start_;
  const Duration grace = *options_.budget->horizon / 20;  // the first jobs are no prophets
  const double to_come =
      kCaution * (budget_->ahead() / std::chrono::duration<double, std::milli>(gone + grace));
  std::vector<Demand> demands;
  const auto add = [&](const Curve* curve, Work work) {
    const auto known = std::ranges::find(demands, curve, &Demand::curve);
    known == demands.end() ? demands.push_back({curve, work}) : void(known->work += work);
  };
  for (const auto& [kind, work] : arrived_)
    if (const auto curve = curves_.find({kind, crowded}); curve != curves_.end())
      add(&curve->second, work * to_come);
  for (const PlanJob& job : jobs) add(job.curve, job.left);
  const double price = std::min(energy_price(demands, energy), kHighestPrice);
  if (price <= kFirstPrice) return price;
  // A high price is believed the more, the longer it was looked at.
  return kFirstPrice * std::pow(price / kFirstPrice, seconds(gone) / seconds(gone + grace));
}

/// Curves of what is believed now; of kinds too that have no job here at present.
void Powerflow::renew_curves(const Board& board) {
  rigid_.clear();
  if (version_ == board.view.models.version()) return;
  version_ = board.view.models.version();
  for (auto& [of, curve] : curves_)
    if (const Profile* profile = board.view.models.find(of.first, board.type))
      curve = Curve(*profile, board.gpu_type(), surroundings(board, of.second));
}

/// Jobs that profile are settled first; the others share what is left.
void Powerflow::plan(Board& board) {
  const bool crowded = board.jobs.size() > board.gpus;
  std::vector<PlanJob> unsorted;
  unsorted.reserve(board.jobs.size());
  for (const BoardJob& job : board.jobs)
    unsorted.push_back({&curve_of(job, board, crowded), job.left, job.restart, job.gpus_now});
  std::vector<std::uint32_t> order = shortest_first(unsorted);
  PlanLimits left = limits(board, in_order(unsorted, order), crowded);
  PlanOptions options = options_.plan;
  if (budget_ && options_.budget->horizon) {
    note_arrivals(board);
    const double now = price(board, in_order(unsorted, order), left.energy, crowded);
    options.energy_price = std::max(options.energy_price, now);
    if (crowded)
      options.crowding = static_cast<double>(board.jobs.size() - board.gpus) / board.gpus;
  }
  if (profiling_.settle(board, left))
    std::erase_if(order, [&](std::uint32_t i) { return board.jobs[i].runs(); });
  const auto make_plan = options_.by_shares ? plan_by_shares : plan_greedily;
  const std::vector<PlanJob> planned = in_order(unsorted, order);
  const Plan plan = make_plan(planned, left, options);
  if (board.view.explain) {
    const std::vector<std::string> why = plan_words(planned, plan, left);
    for (std::size_t i = 0; i < why.size(); ++i) board.jobs[order[i]].why = why[i];
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    const Way& way = unsorted[order[i]].curve->way(*plan[i]);
    BoardJob& job = board.jobs[order[i]];
    job.gpus = way.gpus;
    if (job.profile != nullptr) job.knobs = {way.clock_mhz, way.batch};
  }
}

void Powerflow::allocate(Board& board) {
  renew_curves(board);
  plan(board);
  if (!budget_ || board.jobs.empty()) return;
  const bool anyone_ran =
      std::exchange(anyone_ran_, std::ranges::any_of(board.jobs, &BoardJob::runs));
  if (anyone_ran || anyone_ran_ || budget_->may_recover())
    board.ask_again = std::min(board.ask_again.value_or(Time::max()), board.view.now + slot(board));
}

}  // namespace penstock
