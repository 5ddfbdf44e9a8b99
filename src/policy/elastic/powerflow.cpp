#include "policy/elastic/powerflow.h"

#include <algorithm>
#include <numeric>

namespace penstock {
namespace {

Surroundings surroundings(const Board& board) {
  const Cluster& cluster = board.view.state.cluster();
  Surroundings around{.node_gpus = board.node_gpus,
                      .most_gpus = board.packing.pool().total(),
                      .idle = board.gpu_type().idle};
  if (!board.nodes_sleep) return around;
  // Idle nodes sleep: then a GPU in use is what keeps its part of a node awake.
  Watts base{};
  std::uint32_t gpus = 0;
  for (const Node& node : cluster.nodes) {
    if (node.site != board.site || node.type != board.type) continue;
    base +=
        node.base - node.base_sleep + (board.gpu_type().idle - board.gpu_type().sleep) * node.gpus;
    gpus += node.gpus;
  }
  around.node = base / gpus;
  return around;
}

/// What the nodes of the board draw without any job, were all of them awake.
Watts floor_draw(const Board& board) {
  Watts floor{};
  for (const Node& node : board.view.state.cluster().nodes)
    if (node.site == board.site && node.type == board.type)
      floor += node.base + board.gpu_type().idle * node.gpus;
  return floor;
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

Powerflow::Powerflow(const PowerflowOptions& options, Time start) : options_(options) {
  if (options.budget) budget_.emplace(*options.budget, start);
}

const Curve& Powerflow::curve_of(const BoardJob& job, const Board& board) {
  if (job.profile == nullptr)
    return rigid_.insert_or_assign(job.id, Curve(rigid_way(job, board))).first->second;
  const KindId kind = *job.state->job.kind_id;
  const auto known = curves_.find(kind);
  if (known != curves_.end()) return known->second;
  return curves_.emplace(kind, Curve(*job.profile, board.gpu_type(), surroundings(board)))
      .first->second;
}

PlanLimits Powerflow::limits(const Board& board, std::span<const PlanJob> jobs) {
  PlanLimits limits{.gpus = board.gpus};
  if (!budget_) return limits;
  const View& view = board.view;
  budget_->meter(view.now, view.so_far.energy);
  const double pue = view.outlook.pue(board.site).value();
  const Watts floor = floor_draw(board);
  limits.power = budget_->cap(options_.slot) * (options_.share / pue) - floor;
  Duration longest{};
  for (const PlanJob& job : jobs) longest = std::max(longest, time_ahead(job, job.curve->way(0)));
  limits.energy = budget_->left() * (options_.share / pue) - floor * longest;
  return limits;
}

void Powerflow::allocate(Board& board) {
  if (version_ != board.view.models.version()) curves_.clear();
  version_ = board.view.models.version();
  rigid_.clear();
  std::vector<PlanJob> unsorted;
  for (const BoardJob& job : board.jobs)
    unsorted.push_back({&curve_of(job, board), job.left, job.restart, job.gpus_now});
  const std::vector<std::uint32_t> order = shortest_first(unsorted);
  std::vector<PlanJob> jobs;
  for (const std::uint32_t i : order) jobs.push_back(unsorted[i]);
  const Plan plan = plan_greedily(jobs, limits(board, jobs), options_.plan);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    const Way& way = jobs[i].curve->way(*plan[i]);
    BoardJob& job = board.jobs[order[i]];
    job.gpus = way.gpus;
    if (job.profile != nullptr) job.knobs = {way.clock_mhz, way.batch};
  }
  if (!budget_ || board.jobs.empty()) return;
  const bool anyone_runs = std::ranges::any_of(board.jobs, &BoardJob::runs);
  if (anyone_runs || budget_->may_recover()) board.ask_again = board.view.now + options_.slot;
}

}  // namespace penstock
