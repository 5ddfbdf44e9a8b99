#include "policy/elastic/board.h"

namespace penstock {

bool runs_as_asked(const BoardJob& job, std::uint32_t gpus) {
  if (gpus == job.state->job.gpus) return true;
  return job.profile != nullptr &&
         penstock::runs(*job.profile, {.gpus = gpus, .batch = job.state->job.batch});
}

Speed speed_with(const BoardJob& job, std::uint32_t gpus, const Board& board) {
  if (gpus == 0 || !runs_as_asked(job, gpus)) return Speed{};
  if (job.profile == nullptr) return job.state->job.asked_speed();
  const std::uint32_t nodes = (gpus + board.node_gpus - 1) / board.node_gpus;
  const Config config{.gpus = gpus, .nodes = nodes, .batch = job.state->job.batch};
  return Speed(throughput(*job.profile, config) / 1e3);
}

Duration time_as_asked(const BoardJob& job) {
  return job.left / job.state->job.asked_speed();
}

}  // namespace penstock
