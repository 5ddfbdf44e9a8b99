#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/governor.h"
#include "agent/nvml.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock::agent {

/// The energy of one GPU, which never falls: by its counter, and by its power while the counter is
/// absent or implausible.
class EnergyMeter {
 public:
  enum class Source { counter, power, doubtful_counter };

  /// Adds a reading; `at` must not go back. Returns what the energy was computed from.
  Source add(const Reading& reading, Duration at);
  Joules total() const { return total_; }

 private:
  std::optional<Joules> counter_;
  std::optional<Watts> power_;
  std::optional<Duration> at_;
  Joules total_{};
};

/// What a node reports to the daemon.
struct Report {
  struct Gpu {
    Reading reading{};
    Joules energy{};
  };
  std::string node{};
  std::string site{};  ///< empty: the only one
  Time time{};
  std::vector<Gpu> gpus{};
  std::vector<AppliedClock> applied{};
  std::vector<std::string> problems{};
};

/// The body of a request to the daemon, on one line.
std::string to_json(const Report& report);

/// Reads all GPUs and adds up the energy of each.
class GpuMeters {
 public:
  explicit GpuMeters(const Nvml& nvml) : nvml_(nvml), meters_(nvml.gpu_count()) {}

  /// Adds gpus and problems. `at` is of a clock that does not go back.
  void read(Duration at, Report& report);

 private:
  const Nvml& nvml_;
  std::vector<EnergyMeter> meters_;
};

}  // namespace penstock::agent
