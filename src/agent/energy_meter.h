#pragma once

#include <optional>

#include "agent/nvml.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock::agent {

/// The energy of one GPU, which never falls: by its counter, and by its power while the counter is
/// absent or not to be believed.
class EnergyMeter {
 public:
  enum class Source { counter, power, doubtful_counter };

  /// Takes a reading at a time that does not go back; tells where the last addition came from.
  Source add(const Reading& reading, Duration at);
  Joules total() const { return total_; }

 private:
  std::optional<Joules> counter_;
  std::optional<Watts> power_;
  std::optional<Duration> at_;
  Joules total_{};
};

}  // namespace penstock::agent
