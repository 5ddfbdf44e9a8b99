#include "fit/noise_fit.h"

#include <cmath>

#include "base/check.h"
#include "fit/solve.h"

namespace penstock {
namespace {

constexpr double kVisibleLoss = 0.01;

/// log(fitted / measured) of how many times the samples of the base are needed.
class SamplesError {
 public:
  SamplesError(double base, double batch, double times)
      : base_(base), batch_(batch), times_(times) {}
  template <class T>
  bool operator()(const T* log_scale, T* residual) const {
    using std::exp, std::log;
    const T scale = exp(log_scale[0]);
    residual[0] = log((scale + batch_) / (scale + base_) / times_);
    return true;
  }

 private:
  double base_;
  double batch_;
  double times_;
};

}  // namespace

NoiseFit fit_noise(std::span<const NoiseObservation> observations) {
  PENSTOCK_CHECK(observations.size() >= 2);
  const NoiseObservation& base = observations.front();
  double x = std::log(observations.back().batch);
  ceres::Problem problem;
  problem.AddParameterBlock(&x, 1);
  for (const auto& [batch, samples] : observations.subspan(1))
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<SamplesError, 1, 1>(
                                 new SamplesError(base.batch, batch, samples / base.samples)),
                             new ceres::HuberLoss(0.1), &x);
  problem.SetParameterLowerBound(&x, 0, std::log(base.batch * 1e-3));
  problem.SetParameterUpperBound(&x, 0, std::log(observations.back().batch * 1e4));
  solve(problem);

  NoiseFit fit{.model = {.base = base.batch, .scale = std::exp(x)}};
  for (const auto& [batch, samples] : observations.subspan(1))
    fit.error += std::abs(base.samples / efficiency(fit.model, batch) / samples - 1);
  fit.error /= static_cast<double>(observations.size() - 1);
  fit.loss = 1 - base.samples / observations.back().samples;
  if (fit.loss < kVisibleLoss) fit.model.scale.reset();
  return fit;
}

}  // namespace penstock
