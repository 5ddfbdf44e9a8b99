// What makes Sia itself, in worlds small enough to be checked in one's head.
#include "policies/elastic/sia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "policies/elastic/typed_nodes.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class Sia : public TypedNodes {
 protected:
  RunLog run(const Options& options = {}) const { return run_logged(world, "sia", options); }
};

TEST_F(Sia, gives_the_fast_type_to_the_job_that_gains_more_whatever_the_order_of_nodes) {
  // 1.1 - 1/sqrt(4) and 1.1 - 1 are more than 1.1 - 1/sqrt(1.5) and 1.1 - 1.
  for (const bool fast_first : {true, false}) {
    const TypeNode fast{"fast"};
    const TypeNode slow{"slow"};
    build(fast_first ? std::vector{fast, slow} : std::vector{slow, fast});
    const KindId gains_less = add_kind({{"fast", 1.5}, {"slow", 1}}, 1);
    const KindId gains_more = add_kind({{"fast", 4}, {"slow", 1}}, 1);
    submit(0, gains_less, 40);
    submit(0, gains_more, 40);
    const RunLog log = run();
    EXPECT_EQ(type_of(stays(log, 0).front()), "slow") << fast_first;
    EXPECT_EQ(type_of(stays(log, 1).front()), "fast") << fast_first;
  }
}

TEST_F(Sia, moves_a_running_job_to_a_faster_type_once_the_restart_is_worth_it) {
  build({{"fast"}, {"slow"}});
  submit(0, add_kind({{"fast", 8}, {"slow", 1}}, 1), 800);
  submit(0, add_kind({{"fast", 1.2}, {"slow", 1}}, 1), 1000);
  const RunLog log = run();
  const auto slow_one = stays(log, 1);
  // The fast one is free from 100 s on. After 120 s a change counts 1.2 * 120/150 = 0.96 times what
  // it has, after 180 s 1.2 * 180/210 = 1.03 times.
  ASSERT_EQ(slow_one.size(), 2u);
  EXPECT_EQ(type_of(slow_one[0]), "slow");
  EXPECT_EQ(type_of(slow_one[1]), "fast");
  EXPECT_EQ(from(slow_one[1]), 180);
  EXPECT_EQ(log.ended[1].resizes, 1u);
  EXPECT_EQ(log.ended[1].preemptions, 0u);
  // 180 s of work, a restart, and what is left at 1.2 times the speed.
  EXPECT_NEAR(seconds(slow_one[1].to - world.start()), 180 + 30 + 820 / 1.2, 0.01);
}

TEST_F(Sia, starts_a_job_with_the_least_and_doubles_its_gpus_at_most) {
  build({{"plain", 8}});
  submit(0, add_kind({{"plain", 1}}, 8), 5000, 8);
  const auto all = stays(run(), 0);
  // After 60 s a change counts 60/90, after 120 s (120 - 30)/150, each more than a half; after
  // 180 s (180 - 60)/210.
  ASSERT_EQ(all.size(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(gpu_count(all[i].where), 1u << i);
    EXPECT_EQ(from(all[i]), 60 * i);
  }
}

TEST_F(Sia, lets_a_job_be_that_would_gain_less_than_its_restarts_cost) {
  build({{"plain", 8}});
  world.costs.restart = 50s;
  submit(0, add_kind({{"plain", 1}}, 8), 300, 8);
  // A change counts 60/110 after 60 s, (120 - 50)/170 after 120 s, which is less than a half, and
  // (180 - 50)/230 after 180 s.
  const auto all = stays(run(), 0);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(from(all[1]), 60);
  EXPECT_EQ(gpu_count(all[1].where), 2u);
  EXPECT_EQ(from(all[2]), 180);
  EXPECT_EQ(gpu_count(all[2].where), 4u);
}

TEST_F(Sia, runs_no_job_on_a_type_that_does_not_know_its_kind) {
  build({{"fast", 4}, {"slow", 1}});
  const KindId kind = add_kind({{"slow", 1}}, 4);
  for (int i = 0; i < 3; ++i) submit(0, kind, 100);
  const RunLog log = run();
  for (std::uint32_t i = 0; i < 3; ++i)
    for (const RunSegment& stay : stays(log, i)) EXPECT_EQ(type_of(stay), "slow");
}

TEST_F(Sia, runs_rigid_jobs_as_they_asked_and_on_any_type) {
  build({{"fast", 2}, {"slow", 2}});
  for (int i = 0; i < 2; ++i) add_job(world, {.gpus = 2, .requested = 100, .actual = 100});
  const RunLog log = run();
  for (std::uint32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(stays(log, i).size(), 1u);
    EXPECT_EQ(from(stays(log, i).front()), 0);
  }
}

TEST_F(Sia, chooses_the_batch_of_highest_goodput_only_where_it_may) {
  build({{"plain", 1}});
  const KindId kind = add_kind({{"plain", 1}}, 1);
  Profile profile = *world.models.find(kind, {});
  profile.speed.alpha_c = 8;  // as long as the samples of the batch that was asked for
  profile.batch.most = profile.batch.local_most = 64;
  world.models.set(kind, {}, profile);
  submit(0, kind, 100);
  EXPECT_EQ(stays(run(), 0).front().batch, 8);
  profile.noise.scale = 1e17;
  world.models.set(kind, {}, profile);
  EXPECT_EQ(stays(run(), 0).front().batch, 64);
}

TEST_F(Sia, lets_no_job_wait_for_its_equal) {
  build({{"plain", 2}});
  for (int i = 0; i < 5; ++i)
    add_job(world, {.gpus = 1, .requested = 1000.0 + i, .actual = 1000.0 + i});
  const RunLog log = run();
  EXPECT_EQ(log.result.preemptions, 0u);
  EXPECT_EQ(from(stays(log, 4).front()), 2040) << "in the round after the third has ended";
}

TEST_F(Sia, plans_in_rounds) {
  build({{"plain", 1}});
  const KindId kind = add_kind({{"plain", 1}}, 1);
  submit(0, kind, 10);
  submit(5, kind, 10);
  EXPECT_EQ(from(stays(run(), 1).front()), 60);
  EXPECT_EQ(from(stays(run({{"interval", "20 s"}}), 1).front()), 20);
}

/// The most that jobs can be worth together if each gets one GPU of a type, or none.
double sia_best(const std::vector<std::vector<double>>& gains, std::size_t job,
                std::vector<std::uint32_t>& free) {
  if (job == gains.size()) return 0;
  double best = sia_best(gains, job + 1, free);
  for (std::size_t type = 0; type < free.size(); ++type) {
    if (free[type] == 0) continue;
    --free[type];
    best = std::max(best, sia_value(gains[job][type], {}) + sia_best(gains, job + 1, free));
    ++free[type];
  }
  return best;
}

TEST_F(Sia, assigns_as_well_as_the_best_of_all_assignments) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    std::vector<std::uint32_t> free;
    for (int i = 0; i < 3; ++i) free.push_back(1 + static_cast<std::uint32_t>(rng.below(2)));
    build({{"a", free[0]}, {"b", free[1]}, {"c", free[2]}});
    std::vector<std::vector<double>> gains;
    for (std::uint64_t n = 3 + rng.below(4); n > 0; --n) {
      std::vector<double> speeds;
      for (int i = 0; i < 3; ++i) speeds.push_back(std::exp(2 * rng.uniform()));
      submit(0, add_kind({{"a", speeds[0]}, {"b", speeds[1]}, {"c", speeds[2]}}, 1), 10);
      const double least = std::ranges::min(speeds);
      for (double& speed : speeds) speed /= least;
      gains.push_back(speeds);
    }
    double sum = 0;
    const RunLog log = run();
    for (const Action& action : log.turns.front().actions) {
      const Start& start = std::get<Start>(action);
      const std::uint32_t type = world.cluster.node(start.where.front().first).type.index;
      sum += sia_value(gains[start.job.index][type], {});
    }
    const double best = sia_best(gains, 0, free);
    EXPECT_GE(sum, best * (1 - SiaOptions{}.limits.gap) - 1e-9) << seed;
    EXPECT_LE(sum, best + 1e-9) << seed;
  }
}

TEST_F(Sia, assigns_jobs_to_the_same_types_in_whatever_order_nodes_are_listed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<std::string> first;
    for (const bool reversed : {false, true}) {
      Rng rng(seed);
      std::vector<TypeNode> nodes{{"a", 4}, {"b", 2}, {"c", 1}};
      if (reversed) std::ranges::reverse(nodes);
      build(nodes);
      for (int n = 0; n < 9; ++n) {
        const double a = std::exp(rng.uniform());
        const double b = std::exp(2 * rng.uniform());
        submit(0, add_kind({{"a", a}, {"b", b}, {"c", 5}}, 4), 1000);
      }
      const RunLog log = run();
      std::vector<std::string> types;
      for (std::uint32_t job = 0; job < 9; ++job) types.push_back(type_of(stays(log, job).front()));
      if (reversed) {
        EXPECT_EQ(types, first) << seed;
      }
      first = types;
    }
  }
}

TEST(SiaRestarts, count_by_the_part_of_its_age_that_a_job_does_not_lose) {
  EXPECT_EQ(restart_factor(30s, 0, 30s), 1) << "it could not lose more than it has";
  EXPECT_DOUBLE_EQ(restart_factor(60s, 0, 30s), 60.0 / 90);
  EXPECT_DOUBLE_EQ(restart_factor(120s, 1, 30s), 90.0 / 150);
  EXPECT_EQ(restart_factor(60s, 3, 30s), 0);
}

TEST(SiaOptions, that_are_not_possible_are_refused) {
  const World world = one_site(1, 1);
  const auto error = [&](const char* name, const char* value) {
    const auto made = core_policies().make({.cluster = world.cluster}, "sia", {{name, value}});
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(error("fairness", "0"),
            "policy 'sia': fairness: '0' is not a number from -2 to 2 other than 0");
  EXPECT_EQ(error("queue_penalty", "1"),
            "policy 'sia': queue_penalty: '1' is not above 1, so that jobs might never start");
  EXPECT_EQ(error("fairness", "1"), "");
}

}  // namespace
}  // namespace penstock
