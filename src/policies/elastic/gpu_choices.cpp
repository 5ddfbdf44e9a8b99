#include "policies/elastic/gpu_choices.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace penstock {
namespace {

/// Differences that are less than rounding leaves of sums of this size.
double rounding_of(std::span<const GpuChoices> jobs) {
  double largest = 0;
  for (const GpuChoices& job : jobs)
    for (const GpuChoice& choice : job) largest = std::max(largest, std::abs(choice.value));
  return largest * static_cast<double>(jobs.size()) * 1e-14;
}

struct HullStep {
  double gain = 0;  ///< for each GPU
  std::uint32_t job = 0;
  std::uint32_t to = 0;                          ///< a place on its hull
  bool operator<(const HullStep& other) const {  // priority_queue keeps the largest on top
    return std::pair(gain, other.job) < std::pair(other.gain, job);
  }
};

/// Gives GPUs that steps along the hulls left over, each time to the job to which they are worth
/// most.
void give_rest(std::span<const GpuChoices> jobs, std::uint32_t free, ChosenGpus& chosen) {
  while (free > 0) {
    double most = 0;
    std::pair<std::uint32_t, std::uint32_t> best{};
    for (std::uint32_t j = 0; j < jobs.size(); ++j) {
      const GpuChoice& now = jobs[j][chosen[j]];
      for (std::uint32_t i = chosen[j] + 1; i < jobs[j].size(); ++i) {
        const double gain = jobs[j][i].value - now.value;
        if (jobs[j][i].gpus - now.gpus > free || gain <= most) continue;
        most = gain;
        best = {j, i};
      }
    }
    if (most == 0) return;
    const auto& [j, i] = best;
    free -= jobs[j][i].gpus - jobs[j][chosen[j]].gpus;
    chosen[j] = i;
  }
}

}  // namespace

std::vector<std::uint32_t> concave_hull(const GpuChoices& choices) {
  const auto slope = [&](std::uint32_t from, std::uint32_t to) {
    return (choices[to].value - choices[from].value) / (choices[to].gpus - choices[from].gpus);
  };
  std::vector<std::uint32_t> hull{0};
  for (std::uint32_t i = 1; i < choices.size(); ++i) {
    if (choices[i].value <= choices[hull.back()].value) continue;
    while (hull.size() > 1 && slope(hull[hull.size() - 2], hull.back()) <= slope(hull.back(), i))
      hull.pop_back();
    hull.push_back(i);
  }
  return hull;
}

ChosenGpus best_choices(std::span<const GpuChoices> jobs, std::uint32_t gpus) {
  const double rounding = rounding_of(jobs);
  const std::size_t width = gpus + std::size_t{1};
  std::vector<double> before(width, 0);
  std::vector<double> best(width);
  std::vector<std::uint8_t> choice(jobs.size() * width, 0);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    for (std::size_t g = 0; g < width; ++g) best[g] = before[g] + jobs[j].front().value;
    for (std::uint32_t i = 1; i < jobs[j].size(); ++i)
      for (std::size_t g = jobs[j][i].gpus; g < width; ++g) {
        const double value = before[g - jobs[j][i].gpus] + jobs[j][i].value;
        if (value <= best[g] + rounding) continue;
        best[g] = value;
        choice[j * width + g] = static_cast<std::uint8_t>(i);
      }
    std::swap(before, best);
  }
  ChosenGpus chosen(jobs.size());
  std::size_t left = gpus;
  for (std::size_t j = jobs.size(); j-- > 0;) {
    chosen[j] = choice[j * width + left];
    left -= jobs[j][chosen[j]].gpus;
  }
  return chosen;
}

ChosenGpus steepest_choices(std::span<const GpuChoices> jobs, std::uint32_t gpus) {
  std::vector<std::vector<std::uint32_t>> hulls;
  std::priority_queue<HullStep> steps;
  ChosenGpus chosen(jobs.size(), 0);
  std::uint32_t free = gpus;
  const auto offer = [&](std::uint32_t j, std::uint32_t to) {
    if (to >= hulls[j].size()) return;
    const GpuChoice& from = jobs[j][chosen[j]];
    const GpuChoice& next = jobs[j][hulls[j][to]];
    steps.push({(next.value - from.value) / (next.gpus - from.gpus), j, to});
  };
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    hulls.push_back(concave_hull(jobs[j]));
    offer(j, 1);
  }
  while (!steps.empty()) {
    const HullStep step = steps.top();
    steps.pop();
    const std::uint32_t next = hulls[step.job][step.to];
    const std::uint32_t more = jobs[step.job][next].gpus - jobs[step.job][chosen[step.job]].gpus;
    if (more > free) continue;
    free -= more;
    chosen[step.job] = next;
    offer(step.job, step.to + 1);
  }
  give_rest(jobs, free, chosen);
  return chosen;
}

}  // namespace penstock
