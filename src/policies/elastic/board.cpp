#include "policies/elastic/board.h"

namespace penstock {

Speed speed_with(const BoardJob& job, std::uint32_t gpus, const Board& board) {
  if (gpus == 0) return Speed{};
  const bool as_asked = gpus == job.state->job.gpus;
  if (job.profile == nullptr) return as_asked ? job.state->job.asked_speed() : Speed{};
  const std::uint32_t nodes = (gpus + board.node_gpus - 1) / board.node_gpus;
  const Config config{.gpus = gpus, .nodes = nodes, .batch = job.state->job.batch};
  if (!as_asked && !runs(*job.profile, config)) return Speed{};
  return Speed(throughput(*job.profile, config) / 1e3);
}

Duration time_as_asked(const BoardJob& job) {
  return job.left / job.state->job.asked_speed();
}

}  // namespace penstock
