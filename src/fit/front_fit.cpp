#include "fit/front_fit.h"

#include <algorithm>
#include <cmath>

#include "model/gpu_type.h"

namespace penstock {
namespace {

constexpr double kFrontError = 1e-3;  ///< relative, of the energy

double energy_between(const FrontPoint& a, const FrontPoint& b, double seconds) {
  return a.joules + (b.joules - a.joules) * (seconds - a.seconds) / (b.seconds - a.seconds);
}

/// Adds the points after `first` that are needed up to `last`, and `last` itself: the one that is
/// farthest from the line divides it, until none is far (Ramer, Douglas and Peucker).
void add_needed(const std::vector<FrontPoint>& points, std::size_t first, std::size_t last,
                std::vector<FrontPoint>& needed) {
  double worst = kFrontError;
  std::size_t farthest = first;
  for (std::size_t i = first + 1; i < last; ++i) {
    const double line = energy_between(points[first], points[last], points[i].seconds);
    const double error = std::abs(line / points[i].joules - 1);
    if (error <= worst) continue;
    worst = error;
    farthest = i;
  }
  if (farthest == first) {
    needed.push_back(points[last]);
    return;
  }
  add_needed(points, first, farthest, needed);
  add_needed(points, farthest, last, needed);
}

Watts waiting_draw(const PipelineFront& front) {
  const FrontPoint& slowest = front.points.back();
  const FrontPoint& before = front.points[front.points.size() < 2 ? 0 : front.points.size() - 2];
  const double waits = slowest.seconds - before.seconds;
  const double more = slowest.joules - before.joules;
  if (waits > 0 && more > 0) return Watts(more / waits / front.gpus);
  const auto type = std::ranges::find(gpu_catalogue(), front.gpu, &GpuType::name);
  return type == gpu_catalogue().end() ? Watts(1) : type->idle;
}

}  // namespace

Profile front_profile(const PipelineFront& front) {
  std::vector<FrontPoint> falling;
  for (const FrontPoint& point : front.points)
    if (falling.empty() || point.joules < falling.back().joules) falling.push_back(point);
  Profile profile{.name = front.model, .gpu = front.gpu};
  profile.front.push_back(falling.front());
  if (falling.size() > 1) add_needed(falling, 0, falling.size() - 1, profile.front);
  profile.power.p0 = waiting_draw(front);
  profile.gpus_least = profile.gpus_most = front.gpus;
  profile.source = "front: " + front.source;
  return profile;
}

}  // namespace penstock
