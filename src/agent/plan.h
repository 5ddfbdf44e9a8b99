#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/nvml.h"
#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock::agent {

/// What one GPU shall be set to. With neither clock nor limit it runs with its defaults.
struct PlannedGpu {
  unsigned index = 0;
  std::optional<unsigned> clock_mhz{};
  std::optional<Watts> limit{};  ///< for ClockMethod::power; derived from the clock if absent
  std::string job{};             ///< for which the GPU is set; another job gets it set again

  bool operator==(const PlannedGpu&) const = default;
};

/// What the GPUs of this node shall be set to, and for how long that holds without a newer plan.
/// GPUs that are not named run with their defaults.
struct ClockPlan {
  Duration valid{};
  std::vector<PlannedGpu> gpus{};
};

inline constexpr std::size_t kLongestPlan = std::size_t{1} << 20;

/// Reads {"valid_s":30,"gpus":[{"index":0,"clock_mhz":1200,"job":12}]}. Trusts nothing: the error
/// lists every problem, and no part of a plan with problems is returned.
Result<ClockPlan> parse_plan(std::string_view json);

/// What can be set instead of what was requested.
template <class T>
struct Fitted {
  T value{};
  std::string problem{};  ///< empty: it is what was requested, or the step below it
};

/// The highest clock that can be set and is not above `mhz`; else the lowest.
Fitted<unsigned> fit_clock(const GpuTraits& traits, unsigned mhz);
/// The requested limit or, if only a clock is requested, the highest limit times clock / highest
/// clock; within what can be set. Fails where too little is known.
Result<Fitted<Watts>> fit_limit(const GpuTraits& traits, const PlannedGpu& planned);

}  // namespace penstock::agent
