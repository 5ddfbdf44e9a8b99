#pragma once

#include "app/sweep.h"

namespace penstock {

/// A whole `penstock train` for each point, in a process of its own; what was begun goes on from
/// its checkpoint.
Result<Done> sweep_trainings(const SweepOptions& options);

}  // namespace penstock
