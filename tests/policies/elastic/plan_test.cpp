// The greedy against the exhaustive optimum of its own planning problem.
#include "policies/elastic/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "policies/elastic/brute_force_plan.h"
#include "policies/elastic/random_plan.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Work is counted so that a speed of 1 does a second of it in a second.
Way way(std::uint32_t gpus, std::uint32_t mhz, double speed, double watts) {
  return {.gpus = gpus, .clock_mhz = mhz, .speed = Speed(speed), .draw = Watts(watts)};
}
PlanJob job_of(const Curve& curve, double seconds) {
  return {.curve = &curve, .left = Work(seconds * 1000)};
}

// Twice the GPUs: 1.6 times as fast for 2 times the power; the faster clock 1.25 for 1.5.
const Curve kPlain(std::vector{way(1, 1000, 1, 100), way(1, 1400, 1.25, 150),
                               way(2, 1000, 1.6, 200), way(2, 1400, 2, 300)});
const Curve kSaturated(std::vector{way(1, 1000, 1, 100), way(2, 1000, 1, 200),
                                   way(4, 1000, 0.9, 400)});
const Curve kFree(std::vector{way(1, 1000, 1, 100), way(2, 1000, 2, 200), way(4, 1000, 4, 390)});

TEST(Priority, is_relative_time_saved_by_relative_energy_added) {
  const PlanJob job = job_of(kPlain, 1000);
  // 1000 s to 800 s, 100 kJ to 120 kJ
  EXPECT_DOUBLE_EQ(priority(job, kPlain.way(0), kPlain.way(1)), 0.2 / 0.2);
  // 1000 s to 625 s, 100 kJ to 125 kJ
  EXPECT_DOUBLE_EQ(priority(job, kPlain.way(0), kPlain.way(2)), 0.375 / 0.25);
}

TEST(Priority, is_minus_infinity_without_gain_and_infinity_when_free) {
  const PlanJob same = job_of(kSaturated, 1000);
  EXPECT_EQ(priority(same, kSaturated.way(0), kSaturated.way(1)), -kEndless);
  EXPECT_EQ(priority(same, kSaturated.way(0), kSaturated.way(2)), -kEndless);
  const PlanJob free = job_of(kFree, 1000);
  EXPECT_EQ(priority(free, kFree.way(0), kFree.way(1)), kEndless);
  EXPECT_EQ(priority(free, kFree.way(0), kFree.way(2)), kEndless);
}

TEST(Priority, of_a_job_without_work_is_minus_infinity) {
  const PlanJob done = job_of(kPlain, 0);
  EXPECT_EQ(priority(done, kPlain.way(0), kPlain.way(1)), -kEndless);
  EXPECT_EQ(plan_greedily(std::vector{done}, {.gpus = 8}), Plan{0u});
}

TEST(Priority, counts_a_restart_only_where_gpus_change) {
  PlanJob job = job_of(kPlain, 1000);
  job.restart = 400s;
  job.gpus_now = 1;
  EXPECT_EQ(time_ahead(job, kPlain.way(1)), 800s);
  EXPECT_EQ(time_ahead(job, kPlain.way(2)), 1025s);
  EXPECT_EQ(energy_ahead(job, kPlain.way(2)), Joules(205'000));
  EXPECT_EQ(priority(job, kPlain.way(0), kPlain.way(2)), -kEndless);
  job.gpus_now = 0;
  EXPECT_EQ(time_ahead(job, kPlain.way(1)), 1200s);
}

TEST(Priority, counts_the_nodes_energy_but_not_their_power) {
  Way with_node = way(1, 1000, 1, 100);
  with_node.nodes = Watts(50);
  const Curve curve(with_node);
  const PlanJob job = job_of(curve, 10);
  EXPECT_EQ(energy_ahead(job, with_node), Joules(1500));
  EXPECT_EQ(plan_greedily(std::vector{job}, {.gpus = 1, .power = Watts(100)}), Plan{0u});
  EXPECT_EQ(plan_greedily(std::vector{job}, {.gpus = 1, .energy = Joules(1499)}),
            Plan{std::nullopt});
}

TEST(PlanGreedily, gives_everything_that_gains_where_nothing_is_scarce) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kSaturated, 1000), job_of(kFree, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 100}), (Plan{3u, 0u, 2u}));
}

TEST(PlanGreedily, gives_no_more_to_a_saturated_job) {
  EXPECT_EQ(plan_greedily(std::vector{job_of(kSaturated, 1000)}, {.gpus = 8}), Plan{0u});
}

TEST(PlanGreedily, breaks_ties_by_the_order_given) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kPlain, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 3, .power = Watts(300)}), (Plan{2u, 0u}));
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .power = Watts(100)}), (Plan{0u, std::nullopt}));
}

TEST(PlanGreedily, takes_free_gains_before_all_others) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kFree, 10)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 5, .energy = Joules(101'000)}), (Plan{0u, 2u}));
}

TEST(PlanGreedily, takes_the_step_of_the_highest_priority_first) {
  // GPUs are worth 1.5 and the clock 1: within 125 kJ there is only one of them.
  const std::vector jobs{job_of(kPlain, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(125'000)}), Plan{2u});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(125'000)}), Plan{1u});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(124'999)}), Plan{1u});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(119'999)}), Plan{0u});
}

TEST(PlanGreedily, skips_a_step_that_breaks_a_limit_instead_of_stopping) {
  // The large job's step comes first by its order, and needs 25 kJ; the small one's 2.5 kJ.
  const std::vector jobs{job_of(kPlain, 1000), job_of(kPlain, 100)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(112'500)}), (Plan{0u, 2u}));
  // 350 W: two GPUs for the first, then neither its clock nor the other's, at last nothing.
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .power = Watts(350)}), (Plan{2u, 1u}));
}

TEST(PlanGreedily, keeps_the_energy_of_a_waiting_job_for_it) {
  const std::vector jobs{job_of(kPlain, 1000), job_of(kPlain, 1000)};
  // One GPU: the second job waits, and its 100 kJ are not for the first one's clock.
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(219'999)}), (Plan{0u, std::nullopt}));
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(220'000)}), (Plan{1u, std::nullopt}));
  // What cannot be kept anyway is not kept.
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 1, .energy = Joules(199'999)}), (Plan{1u, std::nullopt}));
}

TEST(PlanGreedily, admits_a_later_job_where_an_earlier_one_does_not_fit) {
  const Curve wide(way(4, 1000, 1, 100));
  const std::vector jobs{job_of(wide, 10), job_of(kSaturated, 10)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 3}), (Plan{std::nullopt, 0u}));
}

TEST(PlanGreedily, plans_nothing_where_there_is_nothing) {
  EXPECT_EQ(plan_greedily({}, {.gpus = 8}), Plan{});
  const std::vector jobs{job_of(kPlain, 1000)};
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 0}), Plan{std::nullopt});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .power = Watts(-5)}), Plan{std::nullopt});
  EXPECT_EQ(plan_greedily(jobs, {.gpus = 8, .energy = Joules(-5)}), Plan{std::nullopt});
}

/// Limits that cut the steps off anywhere, or never.
PlanCase random_limits(std::uint64_t seed) {
  PlanDice dice(seed);
  PlanCase c = dice.roll({.most_jobs = 12, .most_gpus = 32, .clocks = dice.between(2, 6)});
  c.limits.gpus = dice.between(1, 40);
  const PlanUse least = use_of(c, Plan(c.jobs.size(), 0u));
  if (dice.chance(0.6)) c.limits.energy = least.energy * dice.real(0.3, 2.5);
  if (dice.chance(0.4)) c.limits.power = least.power * dice.real(0.3, 5);
  return c;
}

TEST(PlanGreedily, takes_the_same_steps_as_brute_force) {
  std::uint32_t waiting = 0;
  for (std::uint64_t seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const PlanCase c = random_limits(seed);
    const Plan plan = plan_greedily(c.jobs, c.limits);
    EXPECT_EQ(plan, BruteForce(c).plan()) << "case " << seed;
    waiting += use_of(c, plan).waiting;
  }
  EXPECT_GT(waiting, 1000u);
}

TEST(PlanGreedily, breaks_no_limit) {
  for (std::uint64_t seed = 0; seed < 5000 && !HasFailure(); ++seed) {
    const PlanCase c = random_limits(seed);
    for (const Plan& plan : {plan_greedily(c.jobs, c.limits), plan_by_shares(c.jobs, c.limits)}) {
      const PlanUse use = use_of(c, plan);
      EXPECT_LE(use.gpus, c.limits.gpus) << "case " << seed;
      EXPECT_LE(use.power.value(), c.limits.power.value() * (1 + 1e-12)) << "case " << seed;
      EXPECT_LE(use.energy.value(), c.limits.energy.value() * (1 + 1e-12)) << "case " << seed;
    }
  }
}

/// Can any job still go up by a clock?
bool has_clock_to_spare(const PlanCase& c, const Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i]) continue;
    const Curve& curve = *c.jobs[i].curve;
    const auto faster = curve.faster_clock(*plan[i]);
    if (!faster || priority(c.jobs[i], curve.way(*plan[i]), curve.way(*faster)) <= 0) continue;
    Plan more = plan;
    more[i] = faster;
    if (use_of(c, more).power <= c.limits.power) return true;
  }
  return false;
}

TEST(PlanGreedily, leaves_no_clock_that_gains_and_fits) {
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    PlanCase c = random_limits(seed);
    c.limits.energy = Joules(kEndless);
    EXPECT_FALSE(has_clock_to_spare(c, plan_greedily(c.jobs, c.limits))) << "case " << seed;
  }
}

TEST(PlanByShares, admits_the_same_jobs) {
  for (std::uint64_t seed = 0; seed < 1000 && !HasFailure(); ++seed) {
    const PlanCase c = random_limits(seed);
    const Plan published = plan_greedily(c.jobs, c.limits);
    const Plan by_shares = plan_by_shares(c.jobs, c.limits);
    for (std::size_t i = 0; i < published.size(); ++i)
      EXPECT_EQ(published[i].has_value(), by_shares[i].has_value()) << "case " << seed;
  }
}

TEST(PlanByShares, gives_scarce_gpus_to_the_job_that_saves_most_time) {
  // Alike in relative terms, but the second saves ten times as much.
  const std::vector jobs{job_of(kFree, 100), job_of(kFree, 1000)};
  EXPECT_EQ(plan_by_shares(jobs, {.gpus = 5}), (Plan{0u, 2u}));
  EXPECT_EQ(plan_by_shares(jobs, {.gpus = 5}, {.favour_short = 2}), (Plan{2u, 0u}));
}

TEST(PlanByShares, steps_over_a_number_of_gpus_that_gains_nothing) {
  const Curve late(std::vector{way(1, 1000, 1, 100), way(2, 1000, 0.9, 150), way(4, 1000, 3, 300)});
  EXPECT_EQ(plan_by_shares(std::vector{job_of(late, 1000)}, {.gpus = 4}), Plan{2u});
}

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
