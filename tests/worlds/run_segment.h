#pragma once

#include <algorithm>

#include "base/time.h"
#include "base/units.h"
#include "model/placement.h"
#include "model/state.h"

namespace penstock {

/// A while in which a job held the same GPUs and was driven in the same way.
struct RunSegment {
  enum class End { none, finished, preempted, interrupted, resized, migrated, driven };
  JobId job{};
  Placement where{};
  std::uint32_t clock_mhz = 0;
  double batch = 0;
  Speed speed{};  ///< once it works
  Watts draw{};   ///< of each GPU
  Time from{};
  Time work_begins{};
  Time run_begins{};  ///< the same of the run that it belongs to: checkpoints count from here
  Time to{Time::max()};
  Work kept{};  ///< of the work done, what was not lost
  End end = End::none;

  /// What it had done by then.
  Work did_by(Time t) const {
    return speed * std::max(std::min(t, to) - work_begins, Duration::zero());
  }
  /// The end of the last whole interval of its run; its own end if there are no intervals.
  Time last_checkpoint(Duration every) const {
    const Duration ran = std::max(to - run_begins, Duration::zero());
    return run_begins + (every == Duration::zero() ? ran : ran / every * every);
  }
  bool covers(GpuId gpu) const {
    return std::ranges::any_of(where, [&](const GpuRange& range) {
      return range.first.index <= gpu.index && gpu.index < range.first.index + range.count;
    });
  }
};

/// One phase of a node's life.
struct NodeSpan {
  NodePhase phase = NodePhase::awake;
  Time from{};
  Time to{Time::max()};
};

}  // namespace penstock
