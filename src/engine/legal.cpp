#include "engine/legal.h"

#include <fmt/format.h>

#include <variant>

namespace penstock {
namespace {

using Reason = std::optional<std::string>;

Reason check_range(const GpuRange& range, const State& state) {
  const Cluster& cluster = state.cluster();
  const std::uint32_t first = range.first.index;
  if (range.count == 0 || first + range.count > cluster.gpu_count())
    return fmt::format("GPUs {}+{} do not exist", first, range.count);
  const NodeId node = cluster.node_of[first];
  if (cluster.node_of[first + range.count - 1] != node)
    return fmt::format("GPUs {}+{} cross a node", first, range.count);
  if (state.node(node).phase == NodePhase::down) return fmt::format("node {} is down", node.index);
  if (!state.free_gpus().contains_all(range))
    return fmt::format("GPUs {}+{} are not all free", first, range.count);
  return std::nullopt;
}

Reason check_same_pool(const Placement& where, const Job& job, const Cluster& cluster) {
  const Node& front = cluster.node(where.front().first);
  if ((job.gpu_types >> front.type.index & 1) == 0)
    return fmt::format("job {} may not run on {}", job.id.index, cluster.type(front).name);
  for (const GpuRange& range : where) {
    const Node& node = cluster.node(range.first);
    if (node.site != front.site || node.type != front.type)
      return fmt::format("job {} would span sites or GPU types", job.id.index);
  }
  return std::nullopt;
}

Reason check(const Start& a, const State& state) {
  const JobState* job = state.find(a.job);
  if (job == nullptr || job->phase != Phase::queued)
    return fmt::format("job {} is not in the queue", a.job.index);
  if (a.where.empty() || gpu_count(a.where) != job->job.gpus)
    return fmt::format("job {} asked for {} GPUs, not {}", a.job.index, job->job.gpus,
                       gpu_count(a.where));
  std::uint32_t past = 0;
  for (const GpuRange& range : a.where) {
    if (range.first.index < past) return fmt::format("GPU ranges overlap or are out of order");
    if (auto reason = check_range(range, state)) return reason;
    past = range.first.index + range.count;
  }
  return check_same_pool(a.where, job->job, state.cluster());
}

Reason check(const Preempt& a, const State& state) {
  const JobState* job = state.find(a.job);
  if (job == nullptr || job->phase != Phase::running)
    return fmt::format("job {} is not running", a.job.index);
  return std::nullopt;
}

Reason check(const Sleep& a, const State& state) {
  if (a.node.index >= state.cluster().nodes.size())
    return fmt::format("node {} does not exist", a.node.index);
  const NodeState& node = state.node(a.node);
  if (node.phase != NodePhase::awake) return fmt::format("node {} is not awake", a.node.index);
  if (node.free != state.cluster().node(a.node).gpus)
    return fmt::format("node {} is not idle", a.node.index);
  return std::nullopt;
}

Reason check(const Wake& a, const State& state) {
  if (a.node.index >= state.cluster().nodes.size() || state.node(a.node).phase != NodePhase::asleep)
    return fmt::format("node {} is not asleep", a.node.index);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> illegal(const Action& action, const State& state) {
  return std::visit([&](const auto& a) { return check(a, state); }, action);
}

}  // namespace penstock
