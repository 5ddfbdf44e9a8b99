#pragma once

#include <span>
#include <string>
#include <vector>

#include "fit/catalogue_fit.h"

namespace penstock {

/// A power model for a profile, and where it came from.
struct GivenPower {
  double delta = 0;
  PowerModel power{};
  std::string source{};
  const PowerReport* measured = nullptr;  ///< the fit it is, if nothing was transferred
};

/// Gives every model on every GPU type a power model: its own where it was measured on
/// that type, else the curve measured there (else: on any type) with its top moved to
/// where this network drives other GPUs.
class PowerTransfer {
 public:
  explicit PowerTransfer(const Measurements& measurements, std::span<const PowerReport> reports);

  GivenPower give(const std::string& model, const std::string& gpu, double local_batch) const;

  /// How hard a network drives a GPU: the most it drew ÷ the most that anything drew there,
  /// mean over the GPU types it was measured on; for others the median of all networks.
  double drive(const std::string& model) const;

 private:
  struct Curve {
    std::string gpu{};
    std::string source{};
    double delta = 0;
    PowerModel power{};
  };
  const PowerReport* own(const std::string& model, const std::string& gpu, double batch) const;
  const Curve& curve_for(const std::string& gpu) const;

  std::span<const PowerReport> reports_;
  std::vector<std::pair<std::string, double>> drives_;  ///< by model
  double neutral_ = 0.85;
  std::vector<Curve> curves_;  ///< the last one is for all other types
};

}  // namespace penstock
