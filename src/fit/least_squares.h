#pragma once

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "model/measurements.h"
#include "model/profile.h"

namespace penstock {

/// Solves a small dense problem the same way every time. The cost that is left.
double solve(ceres::Problem& problem, int iterations = 200);

/// weight · (x[i] - value): a belief about one parameter.
class Belief {
 public:
  Belief(int index, double value, double weight) : index_(index), value_(value), weight_(weight) {}
  template <class T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = weight_ * (x[index_] - value_);
    return true;
  }

 private:
  int index_;
  double value_;
  double weight_;
};

}  // namespace penstock

/// The speed model as a least-squares problem.
namespace penstock::speed_terms {

/// Where each parameter stands: times as logarithms, δ as its logit, so that no search ever
/// runs along a bound. γ is held.
enum At : std::uint8_t { alpha_c, beta_c, alpha_r, beta_r, alpha_n, beta_n, gamma, delta };
inline constexpr int kCount = 8;
using Point = std::array<double, kCount>;

inline constexpr double kLeastTime = 1e-8;  // seconds, as Pollux bounds it
inline constexpr double kOutlier = 0.1;     // log errors above count less

inline double logit(double part) {
  const double inside = std::clamp(part, 1e-3, 1 - 1e-3);
  return std::log(inside / (1 - inside));
}

template <class T>
T from_logit(const T& x) {
  using std::exp;
  return 1.0 / (1.0 + exp(-x));
}

inline Point point_of(const SpeedModel& m) {
  const auto logarithm = [](double t) { return std::log(std::max(t, kLeastTime)); };
  return {logarithm(m.alpha_c),
          logarithm(m.beta_c),
          logarithm(m.alpha_r),
          logarithm(m.beta_r),
          logarithm(m.alpha_n),
          logarithm(m.beta_n),
          m.gamma,
          logit(m.delta)};
}

inline SpeedModel model_at(const Point& x) {
  const auto time = [&](At i) { return std::max(std::exp(x[i]), kLeastTime); };
  return {.alpha_c = time(alpha_c),
          .beta_c = time(beta_c),
          .alpha_r = time(alpha_r),
          .beta_r = time(beta_r),
          .alpha_n = time(alpha_n),
          .beta_n = time(beta_n),
          .gamma = x[gamma],
          .delta = from_logit(x[delta])};
}

/// log(fitted / measured) of one iteration time; the same formula as iteration_time().
class TimeError {
 public:
  explicit TimeError(const SpeedObservation& seen) : config_(seen.config), seconds_(seen.seconds) {}

  template <class T>
  bool operator()(const T* x, T* residual) const {
    using std::exp, std::log, std::pow;
    const T memory = from_logit(x[delta]);
    const T slowdown = memory + (1.0 - memory) / config_.clock;
    const double part = config_.batch / config_.gpus / config_.parts;
    const T compute = (exp(x[alpha_c]) + exp(x[beta_c]) * part) * slowdown;
    residual[0] = log(compute * config_.parts / seconds_);
    if (config_.gpus <= 1) return true;
    const double further = config_.gpus - 2;
    const T sync = config_.nodes <= 1 ? exp(x[alpha_r]) + exp(x[beta_r]) * further
                                      : exp(x[alpha_n]) + exp(x[beta_n]) * further;
    const bool computing_is_longer = compute > sync;
    const T longer = computing_is_longer ? compute : sync;
    const T shorter = computing_is_longer ? sync : compute;
    residual[0] = log(longer / seconds_) + log(1.0 + pow(shorter / longer, x[gamma])) / x[gamma];
    if (config_.parts > 1)  // all but the last overlap with nothing
      residual[0] = log(exp(residual[0]) + compute * ((config_.parts - 1) / seconds_));
    return true;
  }

 private:
  Config config_;
  double seconds_;
};

template <class Term, class... Args>
void add_term(ceres::Problem& problem, Point& x, ceres::LossFunction* loss, Args&&... args) {
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<Term, 1, kCount>(new Term(std::forward<Args>(args)...)), loss,
      x.data());
}

inline void add_observations(ceres::Problem& problem, Point& x,
                             std::span<const SpeedObservation> observations) {
  problem.AddParameterBlock(x.data(), kCount);
  for (const SpeedObservation& seen : observations)
    add_term<TimeError>(problem, x, new ceres::HuberLoss(kOutlier), seen);
  for (int i = alpha_c; i <= beta_n; ++i) {
    problem.SetParameterLowerBound(x.data(), i, std::log(kLeastTime));
    problem.SetParameterUpperBound(x.data(), i, std::log(1e6));
  }
  problem.SetParameterLowerBound(x.data(), delta, logit(0));
  problem.SetParameterUpperBound(x.data(), delta, logit(1));
  problem.SetManifold(x.data(), new ceres::SubsetManifold(kCount, {gamma}));
}

}  // namespace penstock::speed_terms
