#include "engine/legal.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "model/sharing.h"

namespace penstock {
namespace {

using Reason = std::optional<std::string>;

struct CheckContext {
  const State& state;
  const Models& models;
};

/// How many GPUs of `range` are among those of `where`.
std::uint32_t shared(const GpuRange& range, const Placement& where) {
  std::uint32_t count = 0;
  for (const GpuRange& other : where) {
    const std::uint32_t from = std::max(range.first.index, other.first.index);
    const std::uint32_t to =
        std::min(range.first.index + range.count, other.first.index + other.count);
    if (from < to) count += to - from;
  }
  return count;
}

/// The GPUs of `own` count as free.
Reason check_range(const GpuRange& range, const State& state, const Placement& own) {
  const Cluster& cluster = state.cluster();
  const std::uint32_t first = range.first.index;
  if (range.count == 0 || first >= cluster.gpu_count() || range.count > cluster.gpu_count() - first)
    return fmt::format("GPUs {}+{} do not exist", first, range.count);
  const NodeId node = cluster.node_of[first];
  if (cluster.node_of[first + range.count - 1] != node)
    return fmt::format("GPUs {}+{} cross a node", first, range.count);
  if (state.node(node).phase == NodePhase::down) return fmt::format("node {} is down", node.index);
  if (state.free_gpus().count(range) + shared(range, own) < range.count)
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

Reason check_place(const Placement& where, const Job& job, const State& state,
                   const Placement& own) {
  if (where.empty()) return fmt::format("job {} gets no GPUs", job.id.index);
  std::uint32_t past = 0;
  for (const GpuRange& range : where) {
    if (range.first.index < past) return fmt::format("GPU ranges overlap or are out of order");
    if (auto reason = check_range(range, state, own)) return reason;
    past = range.first.index + range.count;
  }
  if (const std::uint32_t share = state.cluster().share; !is_aligned(where, share))
    return fmt::format(
        "job {} gets {} slices that are neither whole GPUs of {} nor an aligned part of one",
        job.id.index, gpu_count(where), share);
  return check_same_pool(where, job, state.cluster());
}

Reason check_clock(const JobState& job, const GpuType& type, std::uint32_t mhz) {
  if (mhz == type.max_clock_mhz) return std::nullopt;
  if (!job.job.kind_id)
    return fmt::format("job {} is rigid and runs at the highest clock", job.job.id.index);
  if (!has_clock(type, mhz)) return fmt::format("{} has no clock of {} MHz", type.name, mhz);
  return std::nullopt;
}

/// What was asked for may always run; anything else must be in the range of the models.
Reason check_config(const JobState& job, const Config& config, const Profile* profile) {
  const bool as_asked = config.gpus == job.job.gpus && config.batch == job.job.batch;
  if (as_asked) return std::nullopt;
  if (profile == nullptr)
    return fmt::format("job {} asked for {} GPUs, not {}", job.job.id.index, job.job.gpus,
                       config.gpus);
  if (!may_have_batch(*profile, config.batch, job.job.batch))
    return fmt::format("job {} asked for a batch of {} and cannot have one of {}", job.job.id.index,
                       job.job.batch, config.batch);
  if (runs(*profile, config)) return std::nullopt;
  return fmt::format("job {} does not run on {} GPUs with a batch of {}", job.job.id.index,
                     config.gpus, config.batch);
}

Reason check_driven(const JobState& job, const Placement& where, const Knobs& knobs,
                    const CheckContext& context) {
  const Cluster& cluster = context.state.cluster();
  const Node& node = cluster.node(where.front().first);
  const GpuType& type = cluster.type(node);
  if (auto reason = check_clock(job, type, knobs.clock_mhz.value_or(type.max_clock_mhz)))
    return reason;
  const Config config{.gpus = gpu_count(where),
                      .nodes = node_count(where, cluster),
                      .batch = knobs.batch.value_or(job.job.batch)};
  return check_config(job, config, context.models.find(job.job, node.type));
}

Reason check_running(JobId id, const State& state) {
  const JobState* job = state.find(id);
  if (job == nullptr || job->phase != Phase::running)
    return fmt::format("job {} is not running", id.index);
  return std::nullopt;
}

/// Only who can be stopped can be moved.
Reason check_stoppable(JobId id, const State& state) {
  if (auto reason = check_running(id, state)) return reason;
  if (state.job(id).job.pinned) return fmt::format("job {} is pinned", id.index);
  return std::nullopt;
}

/// Only a job that scales can be driven or sized otherwise than it asked.
Reason check_scales(JobId id, const State& state) {
  if (auto reason = check_running(id, state)) return reason;
  if (!state.job(id).job.kind_id) return fmt::format("job {} is rigid", id.index);
  return std::nullopt;
}

Reason check_move(JobId id, const Placement& where, const Knobs& knobs,
                  const CheckContext& context) {
  if (auto reason = check_stoppable(id, context.state)) return reason;
  const JobState& job = context.state.job(id);
  if (auto reason = check_place(where, job.job, context.state, job.where)) return reason;
  if (context.state.site_of(where) != context.state.site_of(job.where))
    return fmt::format("job {} would leave its site", id.index);
  return check_driven(job, where, knobs, context);
}

Reason check(const Start& a, const CheckContext& context) {
  const JobState* job = context.state.find(a.job);
  if (job == nullptr || job->phase != Phase::queued)
    return fmt::format("job {} is not in the queue", a.job.index);
  if (auto reason = check_place(a.where, job->job, context.state, {})) return reason;
  if (job->at != kNoSite && context.state.site_of(a.where) != job->at)
    return fmt::format("the files of job {} are at site {}", a.job.index, job->at.index);
  return check_driven(*job, a.where, a.knobs, context);
}

Reason check(const Preempt& a, const CheckContext& context) {
  return check_stoppable(a.job, context.state);
}

Reason check(const Resize& a, const CheckContext& context) {
  if (auto reason = check_scales(a.job, context.state)) return reason;
  return check_move(a.job, a.where, a.knobs, context);
}

Reason check(const Migrate& a, const CheckContext& context) {
  if (auto reason = check_running(a.job, context.state)) return reason;
  const JobState& job = context.state.job(a.job);
  if (gpu_count(a.where) != gpu_count(job.where))
    return fmt::format("job {} would migrate to another number of GPUs", a.job.index);
  return check_move(a.job, a.where, {job.clock_mhz, job.batch}, context);
}

Reason check(const SetClock& a, const CheckContext& context) {
  if (auto reason = check_scales(a.job, context.state)) return reason;
  const JobState& job = context.state.job(a.job);
  return check_clock(
      job, context.state.cluster().type(context.state.cluster().node(job.where.front().first)),
      a.clock_mhz);
}

Reason check(const SetBatch& a, const CheckContext& context) {
  if (auto reason = check_scales(a.job, context.state)) return reason;
  const JobState& job = context.state.job(a.job);
  return check_driven(job, job.where, {job.clock_mhz, a.batch}, context);
}

Reason check(const Sleep& a, const CheckContext& context) {
  const State& state = context.state;
  if (a.node.index >= state.cluster().nodes.size())
    return fmt::format("node {} does not exist", a.node.index);
  const NodeState& node = state.node(a.node);
  if (node.phase != NodePhase::awake) return fmt::format("node {} is not awake", a.node.index);
  if (node.free != state.cluster().node(a.node).gpus)
    return fmt::format("node {} is not idle", a.node.index);
  return std::nullopt;
}

Reason check(const Wake& a, const CheckContext& context) {
  const State& state = context.state;
  if (a.node.index >= state.cluster().nodes.size() || state.node(a.node).phase != NodePhase::asleep)
    return fmt::format("node {} is not asleep", a.node.index);
  return std::nullopt;
}

Reason check(const Route& a, const CheckContext& context) {
  const JobState* job = context.state.find(a.job);
  if (job == nullptr || job->phase != Phase::queued)
    return fmt::format("job {} is not in the queue", a.job.index);
  if (job->at == kNoSite) return fmt::format("job {} has no files to send", a.job.index);
  const Cluster& cluster = context.state.cluster();
  if (a.to.index >= cluster.sites.size() || a.to == job->at)
    return fmt::format("job {} would be sent to site {}", a.job.index, a.to.index);
  if (cluster.network.empty() || !cluster.network.joins(job->at, a.to))
    return fmt::format("nothing joins sites {} and {}", job->at.index, a.to.index);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> illegal(const Action& action, const State& state, const Models& models) {
  const CheckContext context{state, models};
  return std::visit([&](const auto& a) { return check(a, context); }, action);
}

}  // namespace penstock
