#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/job.h"
#include "model/placement.h"

namespace penstock {

/// What put an end to a stretch.
enum class StretchEnd : std::uint8_t {
  finished,
  killed,
  preempted,
  resized,
  migrated,
  clock,        ///< another clock was set
  batch,        ///< another batch was set
  interrupted,  ///< a node failed
};

/// What files and pages call them, indexed by StretchEnd.
inline constexpr std::array<std::string_view, 8> kStretchEnds{
    "finished", "killed", "preempted", "resized", "migrated", "clock", "batch", "interrupted"};

/// A time in which a job held the same GPUs at the same clock and batch, told when it ends. It is
/// never empty: of several changes at one instant only the first ends a stretch.
struct Stretch {
  const Job& job;
  Time from{};
  Time to{};
  const Placement& where;
  SiteId site{};
  std::uint32_t clock_mhz = 0;  ///< 0 where clocks are not modelled
  double batch = 0;             ///< over all GPUs; 0 for a rigid job that names none
  StretchEnd ended_by = StretchEnd::finished;
};

}  // namespace penstock
