#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

/// The lower left convex hull of points in the plane: those that minimise x + price · y for some
/// price of 0 or more.
class LowerHull {
 public:
  struct Point {
    double x = 0;
    double y = 0;
    std::uint32_t id = 0;  ///< what it stands for
  };

  void clear() { points_.clear(); }
  /// By falling x and rising y.
  std::span<const Point> points() const { return points_; }

  /// Is some mixture of the points no larger in both?
  bool covers(double x, double y) const {
    const std::size_t i = first_not_right_of(x);
    if (i == points_.size()) return false;
    const Point& left = points_[i];
    if (i == 0) return y >= left.y;
    const Point& right = points_[i - 1];
    return y >= left.y + (right.y - left.y) * ((x - left.x) / (right.x - left.x));
  }

  /// Takes constant time on average where each point is left of all before.
  void add(const Point& point) {
    if (covers(point.x, point.y)) return;
    std::size_t begin = first_not_right_of(point.x);
    std::size_t end = begin;
    while (begin > 0 && (points_[begin - 1].y >= point.y ||
                         (begin > 1 && is_above(points_[begin - 1], point, points_[begin - 2]))))
      --begin;
    while (end < points_.size() &&
           (points_[end].x == point.x ||
            (end + 1 < points_.size() && is_above(points_[end], points_[end + 1], point))))
      ++end;
    const auto at = points_.erase(points_.begin() + std::ptrdiff_t(begin),
                                  points_.begin() + std::ptrdiff_t(end));
    points_.insert(at, point);
  }

  /// The point of the least x + price · y; there must be one.
  const Point& least(double price) const {
    std::size_t low = 0;
    std::size_t high = points_.size() - 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      const Point& here = points_[middle];
      const Point& next = points_[middle + 1];
      if (price * (next.y - here.y) < here.x - next.x)
        low = middle + 1;
      else
        high = middle;
    }
    return points_[low];
  }

 private:
  std::size_t first_not_right_of(double x) const {
    const auto at = std::ranges::partition_point(points_, [&](const Point& p) { return p.x > x; });
    return static_cast<std::size_t>(at - points_.begin());
  }
  /// On or above the line from a point on its left to one on its right.
  static bool is_above(const Point& middle, const Point& left, const Point& right) {
    return (middle.y - left.y) * (right.x - left.x) >= (right.y - left.y) * (middle.x - left.x);
  }

  std::vector<Point> points_;
};

}  // namespace penstock
