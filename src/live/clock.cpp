#include "live/clock.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

constexpr Duration kWorthTelling = std::chrono::seconds(5);

}  // namespace

Time SystemClock::now() {
  const Steady steady = sources_.steady();
  const Time system = std::chrono::floor<Duration>(sources_.system());
  const Duration passed = std::chrono::floor<Duration>(steady - last_steady_);
  const Duration offset =
      system.time_since_epoch() - std::chrono::floor<Duration>(steady.time_since_epoch());
  if (begun_ && std::chrono::abs(offset - offset_) > kWorthTelling) jump_ += offset - offset_;
  offset_ = offset;
  // Set back, it goes on at half the pace; an odd millisecond is left for the next time.
  last_ = begun_ ? std::max(system, last_ + passed / 2) : system;
  last_steady_ = begun_ ? last_steady_ + 2 * (passed / 2) : steady;
  begun_ = true;
  return last_;
}

Duration SystemClock::take_jump() {
  return std::exchange(jump_, Duration::zero());
}

}  // namespace penstock
