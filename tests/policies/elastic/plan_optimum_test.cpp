// The greedy against the exhaustive optimum of its own planning problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <string>

#include "policies/elastic/plan_shares.h"
#include "policies/elastic/random_plan.h"

namespace penstock {
namespace {

/// Tries all combinations of ways.
class Exhaustive {
 public:
  explicit Exhaustive(const PlanCase& c) : case_(c) {
    for (const PlanJob& job : c.jobs)
      for (const Way& way : job.curve->ways()) fill(job, way);
    from_.push_back(options_.size());
  }

  /// The least mean time, in seconds, of plans in which every job runs.
  double best_mean_time() {
    search(0, {});
    return best_ / static_cast<double>(case_.jobs.size());
  }

 private:
  struct Sum {
    std::uint32_t gpus = 0;
    Watts power{};
    Joules energy{};
    double time = 0;
  };
  void fill(const PlanJob& job, const Way& way) {
    if (&way == job.curve->ways().data()) from_.push_back(options_.size());
    options_.push_back({way.gpus, way.draw, energy_ahead(job, way), seconds(time_ahead(job, way))});
  }
  void search(std::size_t job, const Sum& so_far) {
    if (so_far.time >= best_) return;
    if (job == case_.jobs.size()) {
      best_ = so_far.time;
      return;
    }
    for (std::size_t i = from_[job]; i < from_[job + 1]; ++i) {
      Sum sum = so_far;
      sum.gpus += options_[i].gpus;
      sum.power += options_[i].power;
      sum.energy += options_[i].energy;
      sum.time += options_[i].time;
      if (sum.gpus <= case_.limits.gpus && sum.power <= case_.limits.power &&
          sum.energy <= case_.limits.energy)
        search(job + 1, sum);
    }
  }

  const PlanCase& case_;
  std::vector<Sum> options_;
  std::vector<std::size_t> from_;
  double best_ = std::numeric_limits<double>::infinity();
};

enum class Scarce { energy, power, both, gpus };

/// Between what the least plan needs and what an unlimited one would use.
PlanCase limited(PlanCase c, Scarce scarce, double energy_part, double power_part) {
  const PlanUse most = use_of(c, plan_greedily(c.jobs, c.limits));
  const PlanUse least = use_of(c, Plan(c.jobs.size(), 0u));
  const auto between = [](auto from, auto to, double part) {
    return std::max(from, from + (to - from) * part) * (1 + 1e-9);
  };
  if (scarce == Scarce::energy || scarce == Scarce::both)
    c.limits.energy = between(least.energy, most.energy, energy_part);
  if (scarce == Scarce::power || scarce == Scarce::both)
    c.limits.power = between(least.power, most.power, power_part);
  return c;
}

using Planner = Plan(std::span<const PlanJob>, const PlanLimits&, const PlanOptions&);

double mean_time(const PlanCase& c, Planner& planner) {
  const PlanUse use = use_of(c, planner(c.jobs, c.limits, {}));
  EXPECT_EQ(use.waiting, 0u);
  return use.mean_time;
}

/// How many times the optimum, on average over random cases.
double mean_ratio(Scarce scarce, Planner& planner) {
  constexpr std::uint64_t kCases = 500;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    PlanDice dice(seed);
    PlanCase all = dice.roll({});
    const PlanCase c = limited(std::move(all), scarce, dice.real(0, 1), dice.real(0, 1));
    const double ratio = mean_time(c, planner) / Exhaustive(c).best_mean_time();
    EXPECT_GE(ratio, 1 - 1e-12) << "case " << seed;
    sum += ratio;
  }
  return sum / kCases;
}

class PlanOptimum : public testing::TestWithParam<Scarce> {};

TEST_P(PlanOptimum, is_met_within_a_twentieth_by_shares) {
  const double ratio = mean_ratio(GetParam(), plan_by_shares);
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_LE(ratio, 1.05);
}

// Relative gains are not what makes a mean: the ranking as published stays this far behind.
TEST_P(PlanOptimum, is_met_within_a_quarter_as_published) {
  const double ratio = mean_ratio(GetParam(), plan_greedily);
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_LE(ratio, 1.25);
}

/// What becomes of the mean time as a limit grows, over many cases.
struct Growth {
  std::array<double, 11> mean{};  ///< of all cases, compared with the least plan
  int steps = 0;
  int rises = 0;
  double worst = 1;
};

Growth grow(Scarce scarce, Planner& planner) {
  Growth growth;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const PlanCase all = PlanDice(seed).roll({});
    const double least = use_of(all, Plan(all.jobs.size(), 0u)).mean_time;
    double last = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < growth.mean.size(); ++k) {
      const double part = static_cast<double>(k) / 10;
      const double time = mean_time(limited(all, scarce, part, part), planner);
      growth.mean[k] += time / least;
      growth.worst = std::max(growth.worst, time / last);
      growth.rises += time > last * (1 + 1e-9);
      ++growth.steps;
      last = time;
    }
  }
  return growth;
}

// A greedy that skips may take a large step where it took two small ones before, so a single
// case can get worse by a larger limit; that must be rare, and nothing on average.
TEST_P(PlanOptimum, does_not_move_away_when_the_limit_grows) {
  const Growth growth = grow(GetParam(), plan_by_shares);
  EXPECT_TRUE(std::ranges::is_sorted(growth.mean, std::greater{}));
  EXPECT_LE(growth.rises, growth.steps / 100);
  EXPECT_LE(growth.worst, 1.5);
  const Growth published = grow(GetParam(), plan_greedily);
  EXPECT_TRUE(std::ranges::is_sorted(published.mean, std::greater{}));
  EXPECT_LE(published.rises, published.steps / 10);
}

std::string name_of(const testing::TestParamInfo<Scarce>& scarce) {
  constexpr std::array kNames{"energy", "power", "energy_and_power", "gpus"};
  return kNames.at(static_cast<std::size_t>(scarce.param));
}

INSTANTIATE_TEST_SUITE_P(Of, PlanOptimum,
                         testing::Values(Scarce::energy, Scarce::power, Scarce::both, Scarce::gpus),
                         name_of);

}  // namespace
}  // namespace penstock
