#include "fit/refit.h"

#include <array>
#include <cmath>

#include "fit/solve.h"
#include "fit/speed_terms.h"

namespace penstock {
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

}  // namespace penstock
