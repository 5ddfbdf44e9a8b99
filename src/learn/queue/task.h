#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace penstock {

/// No task.
inline constexpr std::uint32_t kNoTask = std::numeric_limits<std::uint32_t>::max();

/// One task of a sequence: what is believed of it, what is true, and what it is worth. A task
/// with `least_gpus` and `most_gpus` other than `gpus` is malleable: it may be started on any
/// number between, and keeps it.
struct Task {
  JobId id{};  ///< the caller's name for it; the world speaks of indices in the sequence
  Time submitted{};
  std::uint32_t gpus = 1;
  Duration requested{};  ///< on `gpus`, as believed; at least a millisecond is taken
  Duration actual{};     ///< on `gpus`, in truth; the same as `requested` in a what-if
  std::vector<std::uint32_t> parents{};  ///< indices in the sequence; ready when all have ended
  double cost = 1;                       ///< the weight of its slowdown in rewards and measures
  std::uint32_t least_gpus = 0;          ///< 0: `gpus`
  std::uint32_t most_gpus = 0;           ///< 0: `gpus`
  /// The share of its time that more GPUs do not shorten (Amdahl). 0: twice the GPUs, half the
  /// time.
  double serial = 0;
  std::optional<Time> deadline{};
};

/// How long a task takes on `gpus` if it takes `asked` on the number it asks for; rounded up.
Duration time_on(const Task& task, Duration asked, std::uint32_t gpus);

}  // namespace penstock
