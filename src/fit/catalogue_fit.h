#pragma once

#include <string>
#include <vector>

#include "fit/held_out.h"
#include "fit/noise_fit.h"
#include "fit/power_fit.h"
#include "fit/speed_fit.h"
#include "model/measurements.h"

namespace penstock {

/// The fit of one table of iteration times.
struct SpeedReport {
  SpeedTable table{};
  SpeedFit fit{};
  SpeedHeldOut held_out{};
  bool chosen = false;  ///< of several tables of one model and GPU type, the one that counts
};

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
  double best_fitted = 0;    ///< the same
  double excess = 0;         ///< measured energy at best_fitted above that at best_measured
};

struct NoiseReport {
  NoiseTable table{};
  NoiseFit fit{};
};

struct FittedCatalogue {
  std::vector<FittedProfile> profiles{};  ///< by GPU type, then by name
  std::vector<SpeedReport> speeds{};
  std::vector<PowerReport> powers{};
  std::vector<NoiseReport> noise{};
};

/// Fits everything and makes a whole profile of each model and GPU type. A power model that
/// was not measured there is transferred: see docs/models.md.
FittedCatalogue fit_catalogue(const Measurements& measurements);

}  // namespace penstock
