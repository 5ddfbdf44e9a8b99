#pragma once

#include <algorithm>
#include <vector>

#include "base/rng.h"
#include "learn/net/losses.h"
#include "learn/net/ppo.h"

namespace penstock {

/// A job of a toy: how long it takes, and what a unit of time until its end costs.
struct ToyJob {
  double length = 0;
  double weight = 0;
};

/// One machine, some jobs, who is next? The bill is the sum of weight x end. Known best: by
/// weight over length (Smith 1956). Who looks only at the next bill takes small and light ones
/// first, and pays more.
class ToyMachine {
 public:
  static constexpr std::uint32_t kFeatures = 2;
  static constexpr std::uint32_t kJobs = 6;

  explicit ToyMachine(Rng rng) {
    for (std::uint32_t j = 0; j < kJobs; ++j)
      jobs_.push_back({0.1 + 0.9 * rng.uniform(), 0.1 + 0.9 * rng.uniform()});
  }

  bool done() const { return jobs_.empty(); }
  std::vector<float> items() const {
    std::vector<float> all;
    for (const ToyJob& job : jobs_) {
      all.push_back(static_cast<float>(job.length));
      all.push_back(static_cast<float>(job.weight));
    }
    return all;
  }
  /// Returns what it costs.
  double run(std::uint32_t job) {
    now_ += jobs_[job].length;
    const double bill = jobs_[job].weight * now_;
    jobs_.erase(jobs_.begin() + job);
    return bill;
  }
  /// The job with the least of something, which is told of each.
  template <class Of>
  std::uint32_t least(Of of) const {
    return static_cast<std::uint32_t>(std::ranges::min_element(jobs_, {}, of) - jobs_.begin());
  }
  std::uint32_t best() const {
    return least([](const ToyJob& j) { return j.length / j.weight; });
  }
  std::uint32_t greedy() const {
    return least([this](const ToyJob& j) { return j.weight * (now_ + j.length); });
  }

 private:
  std::vector<ToyJob> jobs_;
  double now_ = 0;
};

/// The mean bill of many machines whose next job is told by `choose(machine)`.
template <class Choose>
double mean_bill(Rng rng, int machines, Choose choose) {
  double sum = 0;
  for (int m = 0; m < machines; ++m) {
    ToyMachine machine(rng.stream(static_cast<std::uint64_t>(m)));
    while (!machine.done()) sum += machine.run(choose(machine));
  }
  return sum / machines;
}

/// The job that a network thinks best.
inline std::uint32_t best_of(const ActorCritic& net, const ToyMachine& machine) {
  Windows windows(ToyMachine::kFeatures, 0);
  windows.add({.items = machine.items()});
  std::vector<float> logits;
  net.logits(windows, logits);
  Categorical now;
  return now.set(std::span<const float>(logits)) ? now.best() : 0;
}

/// What happens on machines side by side when jobs are drawn by the network's chances.
inline Rollout play(const ActorCritic& net, std::uint32_t worlds, Rng rng) {
  std::vector<ToyMachine> machines;
  for (std::uint32_t w = 0; w < worlds; ++w) machines.emplace_back(rng.stream(w));
  Rollout rollout(ToyMachine::kFeatures, 0, worlds);
  Windows windows(ToyMachine::kFeatures, 0);
  std::vector<float> logits;
  std::vector<float> values;
  Categorical now;
  for (std::uint32_t step = 0; step < ToyMachine::kJobs; ++step) {
    windows.clear();
    for (const ToyMachine& machine : machines) windows.add({.items = machine.items()});
    net.logits(windows, logits);
    net.values(windows, values);
    for (std::uint32_t w = 0; w < worlds; ++w) {
      if (!now.set(windows.of(w, std::span<const float>(logits)))) continue;
      const std::uint32_t action = now.at(rng.uniform());
      rollout.add(w, windows[w], {action, now.log_probability(action), double{values[w]}});
      rollout.reward(w, -machines[w].run(action));
    }
  }
  return rollout;
}

}  // namespace penstock
