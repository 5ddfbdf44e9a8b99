#pragma once

#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "policies/elastic/random_plan.h"

namespace penstock {

/// The greedy as one would write it down: every candidate is looked at anew after every step.
class BruteForce {
 public:
  explicit BruteForce(const PlanCase& c) : case_(c), plan_(c.jobs.size()) {}

  Plan plan() {
    for (std::size_t i = 0; i < plan_.size(); ++i) admit(i);
    while (const auto best = best_candidate()) {
      const Plan before = plan_;
      plan_[best->job] = best->to;
      if (!is_within()) {
        plan_ = before;
        skipped_.insert({best->job, *plan_[best->job], best->to});
      }
    }
    return plan_;
  }

 private:
  struct Candidate {
    double priority = 0;
    double gain = 0;
    std::size_t job = 0;
    std::uint32_t to = 0;
  };

  bool is_within() const {
    const PlanUse use = use_of(case_, plan_);
    return use.gpus <= case_.limits.gpus && use.power.value() <= case_.limits.power.value() &&
           (use.energy + reserved_).value() <= case_.limits.energy.value();
  }
  void admit(std::size_t i) {
    plan_[i] = 0;
    if (is_within()) return;
    plan_[i].reset();
    const Joules before = reserved_;
    reserved_ += energy_ahead(case_.jobs[i], case_.jobs[i].curve->way(0));
    if (!is_within()) reserved_ = before;
  }

  std::optional<Candidate> best_candidate() const {
    std::optional<Candidate> best;
    for (std::size_t i = 0; i < plan_.size(); ++i)
      for (const std::uint32_t to : next_ways(i)) {
        if (skipped_.contains({i, *plan_[i], to})) continue;
        const Candidate c = rate(i, to);
        if (c.priority > 0 &&
            (!best || std::pair(c.priority, c.gain) > std::pair(best->priority, best->gain)))
          best = c;
      }
    return best;
  }

  /// The next clock, and the next number of GPUs at the lowest clock that makes it faster.
  std::vector<std::uint32_t> next_ways(std::size_t i) const {
    std::vector<std::uint32_t> next;
    if (!plan_[i]) return next;
    const auto ways = case_.jobs[i].curve->ways();
    const Way& at = ways[*plan_[i]];
    for (std::uint32_t to = *plan_[i] + 1; to < ways.size(); ++to) {
      if (ways[to].gpus == at.gpus && to != *plan_[i] + 1) continue;
      if (ways[to].gpus != at.gpus && ways[to].speed <= at.speed) continue;
      next.push_back(to);
      if (ways[to].gpus != at.gpus) break;
    }
    return next;
  }

  Candidate rate(std::size_t i, std::uint32_t to) const {
    const PlanJob& job = case_.jobs[i];
    const Way& from = job.curve->way(*plan_[i]);
    const Way& there = job.curve->way(to);
    const double t0 = seconds(time_ahead(job, from));
    const double t1 = seconds(time_ahead(job, there));
    const double e0 = (from.draw + from.nodes).value() * t0;
    const double e1 = (there.draw + there.nodes).value() * t1;
    const double gain = (t0 - t1) / t0;
    double rank = e1 - e0 <= 0 ? std::numeric_limits<double>::infinity() : gain / ((e1 - e0) / e0);
    if (t0 - t1 <= 0) rank = -std::numeric_limits<double>::infinity();
    return {rank, gain / (1.0 + there.gpus - from.gpus), i, to};
  }

  const PlanCase& case_;
  Plan plan_;
  Joules reserved_{};
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> skipped_;
};

}  // namespace penstock
