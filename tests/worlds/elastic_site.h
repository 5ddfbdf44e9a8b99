#pragma once

#include "worlds/world.h"

namespace penstock {

/// Two nodes of two GPUs with clocks of 500 and 1000 MHz, and one kind of job. An iteration takes
/// 1 s at the high clock and 2 s at the low one, whatever the batch and the number of GPUs: the job
/// gets on by its batch each second, of which every sample counts the same. A GPU draws 100 W at
/// the low and 200 W at the high clock.
inline World elastic_site() {
  World world = one_site(2, 2);
  GpuType& type = world.cluster.types[0];
  type.min_clock_mhz = type.clock_step_mhz = 500;
  type.max_clock_mhz = 1000;
  world.models = Models(1);
  world.models.set(world.models.add_kind(), {},
                   {.speed = {.alpha_c = 1},
                    .power = {.p1 = Watts(200)},
                    .noise = {.scale = 1e17},
                    .batch = {.least = 1, .most = 8, .local_most = 4, .accumulates = false},
                    .gpus_most = 4});
  return world;
}

}  // namespace penstock
