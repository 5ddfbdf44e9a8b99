#include "live/job/job_from_slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "policy/reasons.h"

namespace penstock {
namespace {

constexpr int kMostYears = 10;
constexpr double kSecondsPerYear = 365.25 * 86'400;

/// The cluster's types that Slurm's name stands for; all for none.
std::uint64_t types_called(const std::string& name, const SiteOptions& options,
                           const Cluster& cluster) {
  if (name.empty()) return ~0ull;
  const auto renamed = options.gpu_types.find(name);
  const std::string& ours = renamed == options.gpu_types.end() ? name : renamed->second;
  for (std::size_t i = 0; i < cluster.types.size(); ++i)
    if (std::ranges::equal(cluster.types[i].name, ours, [](char a, char b) {
          return std::tolower(static_cast<unsigned char>(a)) ==
                 std::tolower(static_cast<unsigned char>(b));
        }))
      return 1ull << i;
  return 0;
}

/// The most GPUs of one allowed type that the site has, and those of its largest node.
struct Room {
  std::uint32_t all = 0;
  std::uint32_t node = 1;
};
Room room_for(std::uint64_t types, SiteId site, const Cluster& cluster) {
  std::vector<Room> rooms(cluster.types.size());
  for (const Node& node : cluster.nodes) {
    if (node.site != site || (types >> node.type.index & 1) == 0) continue;
    rooms[node.type.index].all += node.gpus;
    rooms[node.type.index].node = std::max(rooms[node.type.index].node, node.gpus);
  }
  Room most;
  for (const Room& room : rooms)
    if (room.all > most.all) most = room;
  return most;
}

/// The types of `allowed` that know the kind.
std::uint64_t knowing_types(const Models& models, KindId kind, std::uint64_t allowed) {
  std::uint64_t types = 0;
  for (std::uint32_t i = 0; i < models.types(); ++i)
    if ((allowed >> i & 1) != 0 && models.find(kind, GpuTypeId{i}) != nullptr) types |= 1ull << i;
  return types;
}

/// Gives the job the models of the profile that its user names, if that can be done.
void scale(Job& job, TrackedJob& tracked, std::uint32_t node_gpus, LiveBeliefs& beliefs) {
  const UserOptions& user_options = tracked.user_options;
  if (user_options.profile.empty()) return;
  const UserOptions::Bounds bounds =
      user_options.gpus.value_or(UserOptions::Bounds{job.gpus, job.gpus});
  const double batch =
      user_options.batch.value_or(beliefs.usual_batch(user_options.profile, job.gpus));
  const auto kind = beliefs.row({user_options.profile, bounds.least, bounds.most, batch});
  const std::uint64_t types = kind ? knowing_types(beliefs.models(), *kind, job.gpu_types) : 0;
  if (types == 0) {
    tracked.problems.push_back(
        fmt::format("no profile '{}' is known for the GPUs it may use; known are: {}; it runs as "
                    "asked",
                    user_options.profile, fmt::join(beliefs.names(), " ")));
    return;
  }
  job.gpu_types = types;
  job.kind_id = kind;
  job.kind = user_options.profile;
  job.batch = batch;
  tracked.kind = user_options.profile;
  std::uint32_t type = 0;
  while ((types >> type & 1) == 0) ++type;
  const Profile& profile = *beliefs.models().find(*kind, GpuTypeId{type});
  const Config asked{
      .gpus = job.gpus, .nodes = (job.gpus + node_gpus - 1) / node_gpus, .batch = batch};
  const double per_second = throughput(profile, asked);
  tracked.work = user_options.work.value_or(per_second * seconds(job.requested));
  if (tracked.work / per_second > kMostYears * kSecondsPerYear) {
    tracked.problems.push_back(
        fmt::format("work={:g} is more than {} years of {}, which nobody believes", tracked.work,
                    kMostYears, gpus_label(job.gpus)));
    tracked.work = per_second * seconds(job.requested);
  }
  const double left = std::max(tracked.work - tracked.done_before, per_second * 1e-3);
  job.work = Work(left);
  job.requested = ceil_duration(left / per_second);
}

}  // namespace

std::variant<Job, std::string> job_from_slurm(TrackedJob& tracked, const SiteOptions& options,
                                              const Cluster& cluster, LiveBeliefs& beliefs) {
  const SlurmJob& seen = tracked.seen;
  if (!tracked.changed) tracked.asked = seen.gpus;
  if (tracked.asked == 0) return "it asks for no GPUs";
  if (seen.gpus_by_task) return "it asks for GPUs by task, which Slurm does not let us change";
  if (!seen.features.empty()) return "it asks for features of nodes";
  const ReadComment comment = read_comment(seen.comment);
  tracked.user_options = comment.user_options;
  tracked.problems = comment.problems;
  Job job{.submitted = seen.submitted.value_or(Time{}),
          .gpus = tracked.asked,
          .requested = seen.time_limit.value_or(options.usual_time),
          .gpu_types = types_called(seen.gpu_type, options, cluster),
          .name = options.name + "/" + seen.ref,
          .user = seen.user,
          .group = seen.account.empty() ? seen.partition : seen.account,
          .home = options.site};
  const Room room = room_for(job.gpu_types, options.site, cluster);
  if (room.all < tracked.asked)
    return fmt::format("it asks for {}{}, the site has {} that it may have",
                       gpus_label(tracked.asked),
                       seen.gpu_type.empty() ? "" : " of type " + seen.gpu_type, room.all);
  apply(comment.user_options, job);
  job.kind.clear();
  job.work = Work{};
  job.batch = 0;
  if (!seen.batch || !seen.requeue) job.pinned = true;
  if (job.deadline) job.tardiness_weight = options.tardiness * std::max(1.0, job.priority);
  tracked.tardiness = job.tardiness_weight;
  scale(job, tracked, room.node, beliefs);
  return job;
}

}  // namespace penstock
