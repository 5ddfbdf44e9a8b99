#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace penstock::agent {

struct NvmlCalls;

/// Why a GPU was not changed.
struct NvmlFailure {
  enum class Kind { no_permission, not_supported, other };
  Kind kind = Kind::other;
  std::string text{};
};

/// The fixed properties of a GPU; absent where the library does not tell them.
struct GpuTraits {
  std::string name{};
  std::vector<unsigned> clocks{};  ///< MHz that can be set, ascending; empty: not told
  std::optional<Watts> least_limit{};
  std::optional<Watts> most_limit{};
};

/// The measurements of a GPU at one instant; absent where the library does not tell them, or where
/// they are impossible.
struct Reading {
  std::optional<Watts> power{};
  std::optional<unsigned> clock_mhz{};
  std::optional<double> utilization{};  ///< part of the last moments, 0 to 1
  std::optional<Joules> energy{};       ///< since the driver was loaded
  std::optional<Watts> limit{};
  std::vector<std::string> problems{};  ///< each begins with "GPU 3: "
};

/// NVIDIA's management library, loaded at run time. Any call may hang with its driver.
class Nvml {
 public:
  /// Loads and starts the library; fails where there is none, no driver, or no GPU.
  static Result<Nvml> open(const std::string& library);
  Nvml(Nvml&&) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  unsigned gpu_count() const { return static_cast<unsigned>(gpus_.size()); }
  const GpuTraits& traits(unsigned index) const { return gpus_[index].traits; }
  Reading read(unsigned index) const;

  /// Keeps the clock between two MHz until it is unlocked or the driver is loaded anew.
  std::optional<NvmlFailure> lock_clock(unsigned index, unsigned least, unsigned most) const;
  std::optional<NvmlFailure> unlock_clock(unsigned index) const;
  std::optional<NvmlFailure> limit_power(unsigned index, Watts limit) const;
  /// The power limit that a GPU has by default.
  Result<Watts> default_limit(unsigned index) const;

 private:
  struct Gpu {
    void* device = nullptr;
    GpuTraits traits{};
  };

  explicit Nvml(std::unique_ptr<NvmlCalls> calls);
  Result<Done> find_gpus();
  GpuTraits look_up(void* device) const;

  std::unique_ptr<NvmlCalls> calls_;
  std::vector<Gpu> gpus_;
};

}  // namespace penstock::agent
