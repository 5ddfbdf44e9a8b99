#pragma once

#include <span>
#include <string>
#include <vector>

#include "fit/held_out.h"
#include "model/measurements.h"

namespace penstock {

/// The fit of one sweep of clocks or power limits. The best clock or limit is the one at
/// which a piece of work takes the least energy.
struct PowerReport {
  std::string model{};
  std::string gpu{};
  std::string source{};
  bool by_limit = false;
  double batch = 0;  ///< 0 if unknown
  std::size_t points = 0;
  PowerFit fit{};
  PowerHeldOut held_out{};
  double best_measured = 0;  ///< MHz, or watts of the limit
  double best_fitted = 0;    ///< in the unit of best_measured
  double excess = 0;         ///< measured energy at best_fitted above that at best_measured
};

/// What is believed of a GPU type; of an unknown one, something in between.
PowerPrior prior_of(const std::string& gpu);

PowerReport report_power(const ClockSweep& sweep);
PowerReport report_power(const LimitSweep& sweep);

/// A power model for a profile, and where it came from.
struct TransferredPower {
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

  TransferredPower power_for(const std::string& model, const std::string& gpu,
                             double local_batch) const;

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
  const PowerReport* measured_power(const std::string& model, const std::string& gpu,
                                    double batch) const;
  const Curve& curve_for(const std::string& gpu) const;

  std::span<const PowerReport> reports_;
  std::vector<std::pair<std::string, double>> drives_;  ///< by model
  double neutral_ = 0.85;
  std::vector<Curve> curves_;  ///< the last one is for all other types
};

}  // namespace penstock
