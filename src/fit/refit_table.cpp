#include "fit/refit_table.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace penstock {
namespace {

constexpr double kLeastError = 0.01;  // no instrument is better

/// Which part of the way from prior to measurements the most likely value lies.
double trusted(const TableTrust& trust, double count) {
  const double error = std::max(trust.error, kLeastError);
  const double prior = 1 / (trust.doubt * trust.doubt);
  const double measured = count / (error * error);
  return measured / (prior + measured);
}

void move_power(PowerModel& power, double log_shift) {
  const double factor = std::exp(log_shift);
  for (Watts* part : {&power.p0, &power.p1, &power.p3, &power.p1_sync}) *part = *part * factor;
}

}  // namespace

Profile refit_table(const Profile& prior, std::span<const TableObservation> observations,
                    const TableTrust& trust) {
  Profile profile = prior;
  if (observations.empty()) return profile;
  std::vector<bool> observed(prior.epoch_seconds.size(), false);
  double shifts = 0;
  double draw_shifts = 0;
  double count = 0;
  for (const TableObservation& seen : observations) {
    const Config config{.gpus = seen.gpus};
    double& entry = profile.epoch_seconds[seen.gpus - 1];
    const double shift = (seen.log_seconds - std::log(entry)) * trusted(trust, seen.count);
    entry *= std::exp(shift);
    observed[seen.gpus - 1] = true;
    shifts += shift;
    draw_shifts += (seen.log_draw - std::log(draw(prior, config).value())) * seen.count;
    count += seen.count;
  }
  const auto ways = static_cast<double>(observations.size());
  const double others = std::exp(shifts / (ways + 1));  // the mean times m / (m + 1)
  for (std::size_t i = 0; i < observed.size(); ++i)
    if (!observed[i]) profile.epoch_seconds[i] *= others;
  move_power(profile.power, draw_shifts / count * trusted(trust, count));
  return profile;
}

}  // namespace penstock
