#include "policies/elastic/allocator.h"

namespace penstock {

Speed speed_with(const AllocationJob& job, std::uint32_t gpus, const AllocationProblem& problem) {
  if (gpus == 0) return Speed{};
  const bool as_asked = gpus == job.state->job.gpus;
  if (job.profile == nullptr) return as_asked ? job.state->job.asked_speed() : Speed{};
  const std::uint32_t nodes = (gpus + problem.node_gpus - 1) / problem.node_gpus;
  const Config config{.gpus = gpus, .nodes = nodes, .batch = job.state->job.batch};
  if (!as_asked && !runs(*job.profile, config)) return Speed{};
  return Speed(throughput(*job.profile, config) / 1e3);
}

Duration time_as_asked(const AllocationJob& job) {
  return job.left / job.state->job.asked_speed();
}

}  // namespace penstock
