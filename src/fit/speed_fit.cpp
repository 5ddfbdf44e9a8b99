#include "fit/speed_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "fit/least_squares.h"

namespace penstock {

// Speed

namespace {

using namespace speed_terms;

constexpr int kSections = 6;
constexpr double kWeakBelief = 0.01;  // a factor of e costs as much as an error of 1 %

/// Pollux's penalty: each further GPU should cost little beside the first two.
class FurtherGpus {
 public:
  FurtherGpus(int alpha, int beta, double weight) : alpha_(alpha), beta_(beta), weight_(weight) {}
  template <class T>
  bool operator()(const T* x, T* residual) const {
    using std::exp;
    residual[0] = weight_ * exp(x[beta_] - x[alpha_]);
    return true;
  }

 private:
  int alpha_;
  int beta_;
  double weight_;
};

/// What the observations cover.
struct Coverage {
  bool inside_node = false;
  bool between_nodes = false;
  bool clocks = false;
};

Coverage coverage_of(std::span<const SpeedObservation> observations) {
  Coverage seen;
  for (const auto& [config, seconds] : observations) {
    seen.inside_node |= config.gpus > 1 && config.nodes <= 1;
    seen.between_nodes |= config.nodes > 1;
    seen.clocks |= config.clock != observations.front().config.clock;
  }
  return seen;
}

/// Reasonable times for what was measured: computing as in the run with the fewest GPUs,
/// communicating a part of the quickest run.
SpeedModel first_guess(std::span<const SpeedObservation> observations, const SpeedPrior& prior) {
  const auto& alone =
      *std::ranges::min_element(observations, {}, [](const auto& o) { return o.config.gpus; });
  const double quickest = std::ranges::min(observations, {}, &SpeedObservation::seconds).seconds;
  const double local = alone.config.batch / alone.config.gpus;
  const double compute = alone.seconds * alone.config.clock;
  return {.alpha_c = 0.2 * compute,
          .beta_c = 0.8 * compute / local,
          .alpha_r = 0.3 * quickest,
          .beta_r = 0.01 * quickest,
          .alpha_n = 0.5 * quickest,
          .beta_n = 0.01 * quickest,
          .gamma = 1,
          .delta = prior.delta};
}

/// Weak beliefs that only decide what the observations leave open.
void add_beliefs(ceres::Problem& problem, Point& x, const Point& guess) {
  for (const int i : {alpha_c, beta_c, alpha_r, beta_r, alpha_n, beta_n})
    add_term<Belief>(problem, x, nullptr, i, guess[static_cast<std::size_t>(i)], kWeakBelief);
  add_term<Belief>(problem, x, nullptr, delta, guess[delta], kWeakBelief);
  add_term<FurtherGpus>(problem, x, nullptr, alpha_r, beta_r, 0.1);
  add_term<FurtherGpus>(problem, x, nullptr, alpha_n, beta_n, 0.1);
}

/// Parameters of a regime that was never observed follow the other one.
void follow_prior(SpeedModel& model, const Coverage& seen, const SpeedPrior& prior) {
  if (!seen.inside_node && !seen.between_nodes) model.alpha_r = model.beta_r = kLeastTime;
  if (!seen.between_nodes) {
    model.alpha_n = prior.between_nodes * model.alpha_r;
    model.beta_n = prior.between_nodes * model.beta_r;
  } else if (!seen.inside_node) {
    model.alpha_r = model.alpha_n / prior.between_nodes;
    model.beta_r = model.beta_n / prior.between_nodes;
  }
  if (!seen.clocks) model.delta = prior.delta;
}

struct Found {
  double cost = std::numeric_limits<double>::infinity();
  Point x{};
};

/// Searches for the best point with one degree of overlap after the other.
class OverlapSearch {
 public:
  OverlapSearch(std::span<const SpeedObservation> observations, const Point& guess)
      : observations_(observations), guess_(guess), best_{.x = guess} {}

  /// The least cost with this overlap. Begins where the best so far ended.
  double cost(double overlap) {
    Found found{.x = best_.x};
    found.x[gamma] = overlap;
    ceres::Problem problem;
    add_observations(problem, found.x, observations_);
    add_beliefs(problem, found.x, guess_);
    const double held = kWeakBelief * (overlap - 1);
    found.cost = solve(problem) + 0.5 * held * held;
    if (found.cost < best_.cost) best_ = found;
    return found.cost;
  }

  /// Closes in on the least cost between two overlaps by golden section.
  void narrow(double low, double high) {
    const auto inner = [&](bool left) {
      const double part = (high - low) / std::numbers::phi;
      return left ? high - part : low + part;
    };
    double left = cost(inner(true));
    double right = cost(inner(false));
    for (int i = 0; i < kSections; ++i) {
      const bool keep_left = left < right;
      (keep_left ? high : low) = inner(!keep_left);
      (keep_left ? right : left) = keep_left ? left : right;
      (keep_left ? left : right) = cost(inner(keep_left));
    }
  }

  const Point& best() const { return best_.x; }

 private:
  std::span<const SpeedObservation> observations_;
  Point guess_;
  Found best_;
};

/// Tries degrees of overlap all over the range, then between the neighbours of the best.
Point search(std::span<const SpeedObservation> observations, const Point& guess) {
  constexpr auto kOverlaps = std::to_array({1.0, 1.25, 1.6, 2.5, 5.0, 10.0});
  OverlapSearch search(observations, guess);
  double least = std::numeric_limits<double>::infinity();
  std::size_t place = 0;
  for (std::size_t i = 0; i < kOverlaps.size(); ++i) {
    const double cost = search.cost(kOverlaps[i]);
    if (cost < least) place = i;
    least = std::min(least, cost);
  }
  search.narrow(kOverlaps[place == 0 ? 0 : place - 1],
                kOverlaps[std::min(place + 1, kOverlaps.size() - 1)]);
  return search.best();
}

}  // namespace

std::vector<double> speed_errors(const SpeedModel& model,
                                 std::span<const SpeedObservation> observations) {
  std::vector<double> errors;
  errors.reserve(observations.size());
  for (const auto& [config, seconds] : observations)
    errors.push_back(iteration_time(model, config).total / seconds - 1);
  return errors;
}

SpeedFit fit_speed(std::span<const SpeedObservation> observations, const SpeedPrior& prior) {
  PENSTOCK_CHECK(!observations.empty());
  const Coverage seen = coverage_of(observations);
  const Point guess = point_of(first_guess(observations, prior));
  const Point best = search(observations, guess);
  SpeedFit fit{.model = model_at(best),
               .inside_node = seen.inside_node,
               .between_nodes = seen.between_nodes};
  follow_prior(fit.model, seen, prior);
  for (const double error : speed_errors(fit.model, observations)) fit.error += std::abs(error);
  fit.error /= static_cast<double>(observations.size());
  return fit;
}

// Gradient noise

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
