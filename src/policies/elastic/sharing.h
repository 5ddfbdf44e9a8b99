#pragma once

#include "policies/elastic/board.h"

namespace penstock {

/// The next larger power of two, on which a job with the batch it asked for is faster than
/// on `gpus`; from none, the fewest on which it runs at all. Nothing if there is none.
std::optional<std::uint32_t> next_size(const BoardJob& job, std::uint32_t gpus, const Board& board);

/// Undoes growth of running jobs that would not make up for its restart.
void keep_unless_growth_pays(Board& board);

}  // namespace penstock
