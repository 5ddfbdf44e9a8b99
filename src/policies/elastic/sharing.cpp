#include "policies/elastic/sharing.h"

#include <bit>

namespace penstock {

std::optional<std::uint32_t> next_size(const BoardJob& job, std::uint32_t gpus,
                                       const Board& board) {
  if (job.profile == nullptr) return gpus == 0 ? std::optional(job.state->job.gpus) : std::nullopt;
  const Speed now = speed_with(job, gpus, board);
  for (std::uint32_t next = std::bit_ceil(gpus + 1); next <= board.gpus; next *= 2)
    if (speed_with(job, next, board) > now) return next;
  // A size that is no power of two may be the only one its batch allows.
  if (gpus == 0) return job.state->job.gpus;
  return std::nullopt;
}

void keep_unless_growth_pays(Board& board) {
  for (BoardJob& job : board.jobs) {
    if (job.gpus_now == 0 || job.gpus <= job.gpus_now) continue;
    const Duration as_is = job.left / speed_with(job, job.gpus_now, board);
    if (job.left / speed_with(job, job.gpus, board) + job.restart >= as_is) job.gpus = job.gpus_now;
  }
}

}  // namespace penstock
