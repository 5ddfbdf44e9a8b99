#include "policies/elastic/pool_curves.h"

#include <utility>

namespace penstock {

PoolMachines machines_of(const AllocationProblem& problem) {
  PoolMachines machines;
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
  }
  machines.gpu_share = all / problem.packing.pool().total();
  return machines;
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

CurveContext PoolCurves::context(const AllocationProblem& problem) const {
  return {.node_gpus = problem.node_gpus,
          .most_gpus = problem.packing.pool().total(),
          .idle = problem.gpu_type().idle,
          .node = machines_of(problem).gpu_share,
          .lowers_clocks = freedom_.clocks};
}

PoolCurves::Key PoolCurves::key_of(const AllocationJob& job) const {
  const Job& asked = job.state->job;
  const bool keeps_batch = !freedom_.batch || !adapts_batch(*job.profile);
  const bool is_large = asked.gpus > job.profile->gpus_most;
  return {.kind = *asked.kind_id,
          .asked = {.keeps_batch = keeps_batch,
                    .batch = keeps_batch || is_large ? asked.batch : 0,
                    .gpus = is_large || !freedom_.gpus ? asked.gpus : 0,
                    .keeps_gpus = !freedom_.gpus}};
}

void PoolCurves::renew(const AllocationProblem& problem) {
  rigid_.clear();
  if (version_ == problem.view.models.version()) return;
  version_ = problem.view.models.version();
  const CurveContext pool = context(problem);
  for (auto& [key, curve] : curves_)
    if (const Profile* profile = problem.view.models.find(key.kind, problem.type))
      curve = Curve(*profile, problem.gpu_type(), pool, key.asked);
}

const Curve* PoolCurves::with(const Key& key, const AllocationProblem& problem) {
  const auto known = curves_.find(key);
  if (known != curves_.end()) return &known->second;
  const Profile* profile = problem.view.models.find(key.kind, problem.type);
  if (profile == nullptr) return nullptr;
  Curve curve(*profile, problem.gpu_type(), context(problem), key.asked);
  return curve.empty() ? nullptr : &curves_.emplace(key, std::move(curve)).first->second;
}

const Curve& PoolCurves::of(const AllocationJob& job, const AllocationProblem& problem) {
  if (job.profile != nullptr)
    if (const Curve* curve = with(key_of(job), problem)) return *curve;
  return rigid_.insert_or_assign(job.id, Curve(rigid_way(job, problem))).first->second;
}

}  // namespace penstock
