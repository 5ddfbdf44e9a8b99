#pragma once

#include <string>
#include <vector>

#include "agent/energy_meter.h"
#include "agent/governor.h"
#include "base/time.h"

namespace penstock::agent {

/// What a node tells of itself.
struct Report {
  struct Gpu {
    Reading reading{};
    Joules energy{};
  };
  std::string node{};
  std::string site{};  ///< empty: the only one
  Time time{};
  std::vector<Gpu> gpus{};
  std::vector<Applied> applied{};
  std::vector<std::string> problems{};
};

/// As the daemon's interface wants it, on one line.
std::string to_json(const Report& report);

/// Reads all GPUs, again and again.
class Instruments {
 public:
  explicit Instruments(const Nvml& nvml) : nvml_(nvml), meters_(nvml.gpu_count()) {}

  /// Adds gpus and problems. `at` is of a clock that does not go back.
  void read(Duration at, Report& report);

 private:
  const Nvml& nvml_;
  std::vector<EnergyMeter> meters_;
};

}  // namespace penstock::agent
