#include "fit/refit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "fit/least_squares.h"

namespace penstock {

// Models

namespace {

constexpr int kIterations = 20;

/// log(fitted / measured) of a job's draw. Linear in the four parameters of the model.
class DrawError {
 public:
  DrawError(const std::array<double, 4>& factors, double draw) : factors_(factors), draw_(draw) {}
  template <class T>
  bool operator()(const T* x, T* residual) const {
    using std::log;
    residual[0] =
        log((x[0] * factors_[0] + x[1] * factors_[1] + x[2] * factors_[2] + x[3] * factors_[3]) /
            draw_);
    return true;
  }

 private:
  std::array<double, 4> factors_;
  double draw_;
};

/// How often each of p0, p1, p3 and p1_sync counts in the draw of a job.
std::array<double, 4> factors_of(const SpeedModel& speed, const Config& config) {
  const IterationTime time = iteration_time(speed, config);
  const double computing = std::min(1.0, time.compute / time.total) * config.gpus;
  const double f = config.clock;
  return {1.0 * config.gpus, computing * f, computing * f * f * f, (config.gpus - computing) * f};
}

}  // namespace

SpeedModel refit_speed(const SpeedModel& prior, double prior_weight,
                       std::span<const SpeedObservation> observations) {
  using namespace speed_terms;
  if (observations.empty()) return prior;
  const Point believed = point_of(prior);
  Point x = believed;
  ceres::Problem problem;
  add_observations(problem, x, observations);
  for (int i = 0; i < kCount; ++i)
    add_term<Belief>(problem, x, nullptr, i, believed[static_cast<std::size_t>(i)],
                     std::sqrt(prior_weight));
  solve(problem, kIterations);
  return model_at(x);
}

PowerModel refit_power(const PowerModel& prior, double prior_weight, const SpeedModel& speed,
                       std::span<const DrawObservation> observations) {
  if (observations.empty()) return prior;
  const Watts unit = prior.p0 + prior.p1 + prior.p3;  // makes the parameters parts of the draw
  std::array<double, 4> x{prior.p0 / unit, prior.p1 / unit, prior.p3 / unit, prior.p1_sync / unit};
  ceres::Problem problem;
  problem.AddParameterBlock(x.data(), 4);
  for (int i = 0; i < 4; ++i) {
    const double believed = x[static_cast<std::size_t>(i)];
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Belief, 1, 4>(
                                 new Belief(i, believed, std::sqrt(prior_weight))),
                             nullptr, x.data());
    problem.SetParameterLowerBound(x.data(), i, i == 0 ? 0.5 * believed : 0);
  }
  for (const auto& [config, draw] : observations)
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<DrawError, 1, 4>(
                                 new DrawError(factors_of(speed, config), draw / unit)),
                             new ceres::HuberLoss(0.1), x.data());
  solve(problem, kIterations);
  return {unit * x[0], unit * x[1], unit * x[2], unit * x[3]};
}

// Tables

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
