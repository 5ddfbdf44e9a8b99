#pragma once

#include <string>
#include <vector>

#include "fit/held_out.h"
#include "fit/power_transfer.h"
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
