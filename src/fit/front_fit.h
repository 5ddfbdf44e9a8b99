#pragma once

#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

/// The front with as few points as say the energy at every time to 0.1 %; points that a quicker one
/// beats are left out. If the slowest point is one of these, its GPUs only wait longer than those
/// of the one before, which tells what they draw; else that is the idle draw of the type.
Profile front_profile(const PipelineFront& front);

}  // namespace penstock
