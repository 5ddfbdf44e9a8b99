#pragma once

#include "policies/elastic/board.h"

namespace penstock {

/// Turns what a board wants into actions that are legal one after the other, and keeps
/// `packing` in step: jobs that shall wait are stopped, others shrink, grow and start, and
/// jobs are migrated where that makes room and pays. A job for which no room can be made
/// stays where it is, at no higher clock than was planned.
void actuate(const Board& board, Packing& packing, Decision& decision);

}  // namespace penstock
