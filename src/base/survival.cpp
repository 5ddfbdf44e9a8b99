#include "base/survival.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace penstock {
namespace {

/// One less `part`, which may be one but for rounding.
double rest(double part) {
  constexpr double kNothing = 1e-12;
  return part > 1 - kNothing ? 0 : 1 - part;
}

double at(const Survival::Point& left, const Survival::Point& right, double x) {
  if (right.x <= left.x) return right.above;
  return left.above + (right.above - left.above) * (x - left.x) / (right.x - left.x);
}

}  // namespace

Survival Survival::certain(double most) {
  return Survival({{0, 1}, {most, 1}, {most, 0}});
}

Survival Survival::spread(std::span<const double> weights, double most) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  PENSTOCK_CHECK(all > 0 && most > 0);
  std::vector<Point> points{{0, 1}};
  double seen = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    seen += weights[i];
    points.push_back({most * double(i + 1) / double(weights.size()), rest(seen / all)});
  }
  points.back().above = 0;
  return Survival(std::move(points));
}

Survival Survival::steps(std::span<const Outcome> outcomes, double most) {
  std::vector<Point> points{{0, 1}};
  double all = 0;
  for (const Outcome& outcome : outcomes) all += outcome.probability;
  PENSTOCK_CHECK(all > 0 && most > 0);
  double seen = 0;
  for (const Outcome& outcome : outcomes) {
    points.push_back({outcome.needed, points.back().above});
    seen += outcome.probability;
    points.push_back({outcome.needed, rest(seen / all)});
  }
  points.back().above = 0;  // whatever rounding has left
  points.push_back({most, 0});
  return Survival(std::move(points));
}

double Survival::above(double x) const {
  if (x < 0) return 1;
  const auto right = std::ranges::upper_bound(points_, x, {}, &Point::x);
  return right == points_.end() ? 0 : at(*(right - 1), *right, x);
}

double Survival::reached(double level) const {
  const auto right =
      std::ranges::find_if(points_, [&](const Point& point) { return point.above <= level; });
  if (right == points_.begin() || right == points_.end())
    return right == points_.end() ? most() : right->x;
  const Point& left = *(right - 1);
  if (right->x <= left.x) return right->x;
  return left.x + (right->x - left.x) * (left.above - level) / (left.above - right->above);
}

double Survival::expected(double from, double to) const {
  double sum = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const Point& left = points_[i - 1];
    const Point& right = points_[i];
    const double begin = std::max(from, left.x);
    const double end = std::min(to, right.x);
    if (begin < end) sum += (end - begin) * (at(left, right, begin) + at(left, right, end)) / 2;
  }
  return sum;
}

Survival Survival::after(double done) const {
  PENSTOCK_CHECK(done < most());
  if (done <= 0) return *this;
  const double now = above(done);
  if (now <= 0) return certain(most() - done);
  std::vector<Point> points{{0, 1}};
  for (const Point& point : points_)
    if (point.x > done) points.push_back({point.x - done, point.above / now});
  return Survival(std::move(points));
}

Survival Survival::times(double factor) const {
  Survival scaled = *this;
  for (Point& point : scaled.points_) point.x *= factor;
  return scaled;
}

}  // namespace penstock
