#pragma once

#include <span>
#include <vector>

namespace penstock {

/// How likely it is that more than x is needed: the lines through some points, never rising, from
/// 1 at 0 to 0 at the most that can be needed. Two points at one x are a step.
class Survival {
 public:
  struct Point {
    double x = 0;
    double above = 0;  ///< the probability of more
  };
  /// One possible outcome.
  struct Outcome {
    double needed = 0;
    double probability = 0;
  };

  /// `most` is needed for sure; it must be positive.
  static Survival certain(double most);
  /// The i-th of n weights lies evenly between i/n and (i + 1)/n of `most`. Some must be positive.
  static Survival spread(std::span<const double> weights, double most);
  /// Exactly these, in rising order, positive and at most `most`.
  static Survival steps(std::span<const Outcome> outcomes, double most);

  /// The probability that more than x is needed.
  double above(double x) const;
  /// The least x beyond which more is needed with a probability of `level` or less.
  double reached(double level) const;
  /// ∫ above(x) dx: what is expected to be needed of the work between.
  double expected(double from, double to) const;
  double most() const { return points_.back().x; }

  /// What is still needed when `done` was not enough; `done` must be less than most. If its
  /// probability was 0, all the rest is needed.
  Survival after(double done) const;
  /// In other units: every x, `most` included, is multiplied by `factor`.
  Survival times(double factor) const;

 private:
  explicit Survival(std::vector<Point> points) : points_(std::move(points)) {}

  std::vector<Point> points_;
};

}  // namespace penstock
