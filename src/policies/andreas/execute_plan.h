#pragma once

#include <optional>
#include <vector>

#include "policies/andreas/instance.h"

namespace penstock {

/// Indexed by NodeId: the devices that pinned jobs hold.
std::vector<std::uint32_t> pinned_gpus(const View& view);

/// A job that starts on whole nodes of one pool.
struct WideStart {
  JobId job{};
  Placement where{};
};

/// What is decided about jobs that no single node holds, before all others are planned.
struct WidePlan {
  std::vector<NodeUse> use{};  ///< indexed by NodeId
  std::vector<WideStart> starts{};
};

/// Jobs of several nodes start in the order in which they came, on nodes that nobody uses, and are
/// never stopped. The first of them waits no longer than it asked to run: then the emptiest
/// nodes are cleared for it, or, where running jobs must not be touched, drained. Only the first
/// `window` waiting jobs are considered, oldest first.
WidePlan plan_wide_jobs(const View& view, const Shapes& shapes, bool may_clear, std::size_t window);

/// A job that should not run now, because power will cost less while there is time.
struct HeldJob {
  JobId job{};
  std::optional<Time> until{};  ///< when it is to begin, as it seems now
};

/// All that was planned at one instant.
struct WholePlan {
  const Assignments& jobs;  ///< by number in the instance
  const std::vector<WideStart>& wide;
  const std::vector<HeldJob>& held;  ///< not in the instance
};

/// Turns a plan into actions that are legal one after the other: jobs that shall wait are stopped,
/// others move as soon as there is room for them, jobs that block each other are stopped and
/// started again, and the rest start.
void carry_out(const View& view, const Instance& instance, const WholePlan& plan,
               Decision& decision);

}  // namespace penstock
