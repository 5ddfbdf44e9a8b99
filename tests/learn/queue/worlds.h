#pragma once

#include <utility>
#include <vector>

#include "learn/queue/task_sequence.h"
#include "worlds/random_world.h"
#include "worlds/run_log.h"

namespace penstock {

struct PoolLimits {
  std::uint32_t most_jobs = 30;
  bool parents = false;
  Requests requests = Requests::mixed;
  OverRequest over_request = OverRequest::kill;
};

/// A small world of one site and one type, in which only numbers of GPUs matter.
inline World pool_world(std::uint64_t seed, const PoolLimits& limits) {
  World world = random_world(seed, {.most_jobs = limits.most_jobs,
                                    .most_sites = 1,
                                    .most_types = 1,
                                    .requests = limits.requests,
                                    .parents = limits.parents,
                                    .failures = false,
                                    .sleep = false,
                                    .restarts = false});
  world.sim.over_request = limits.over_request;
  for (TracedJob& traced : world.jobs) traced.job.gpu_types = ~0ull;
  return world;
}

inline std::vector<Task> tasks_in(const World& world) {
  std::vector<Task> tasks;
  for (const TracedJob& traced : world.jobs) {
    Task task{.id = traced.job.id,
              .submitted = traced.job.submitted,
              .gpus = traced.job.gpus,
              .requested = traced.job.requested,
              .actual = traced.actual,
              .cost = 1.0 + traced.job.priority,
              .deadline = traced.job.deadline};
    for (const JobId parent : traced.job.parents) task.parents.push_back(parent.index);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// The sequence of tasks that must be in order.
inline TaskSequence sequence_of(std::vector<Task> tasks, std::uint32_t machine_gpus) {
  auto made = TaskSequence::make(std::move(tasks), machine_gpus);
  PENSTOCK_CHECK(made);
  return *std::move(made);
}

inline TaskSequence tasks_of(const World& world) {
  return sequence_of(tasks_in(world), world.cluster.gpu_count());
}

}  // namespace penstock
