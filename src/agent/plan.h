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

/// What one GPU is to do. Where neither is named it is to run as it comes.
struct PlannedGpu {
  unsigned index = 0;
  std::optional<unsigned> clock_mhz{};
  std::optional<Watts> limit{};  ///< for those who set limits; else it follows from the clock
  std::string job{};             ///< for whom; another job is told anew

  bool operator==(const PlannedGpu&) const = default;
};

/// What the GPUs of this node are to do, and for how long that holds without another word. Those
/// not named are to run as they come.
struct Plan {
  Duration valid{};
  std::vector<PlannedGpu> gpus{};
};

inline constexpr std::size_t kLongestPlan = std::size_t{1} << 20;

/// Reads {"valid_s":30,"gpus":[{"index":0,"clock_mhz":1200,"job":12}]}. Believes nothing: every
/// problem is told, and a plan with one is not followed in part.
Result<Plan> parse_plan(std::string_view json);

/// What can be set in place of what was asked.
template <class T>
struct Fitted {
  T value{};
  std::string problem{};  ///< empty: it is what was asked, or the step below it
};

/// The highest clock that can be set and is not above `mhz`; else the lowest.
Fitted<unsigned> fit_clock(const GpuTraits& traits, unsigned mhz);
/// The limit asked for or, from the clock alone, that part of the highest limit which the clock is
/// of the highest clock; within what can be set. Fails where too little is known.
Result<Fitted<Watts>> fit_limit(const GpuTraits& traits, const PlannedGpu& planned);

}  // namespace penstock::agent
