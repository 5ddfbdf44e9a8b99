// Which GPU types powerflow gives to whom, in worlds small enough to be checked in one's head.
#include "policies/elastic/type_choice.h"

#include "base/rng.h"
#include "policies/elastic/typed_nodes.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class TypeChoice : public TypedNodes {
 protected:
  RunLog run(const Options& options = {}) const { return run_logged(world, "powerflow", options); }
};

TEST_F(TypeChoice, gives_the_fast_type_to_the_job_that_gains_more_whatever_the_order_of_nodes) {
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

/// The second job gets the slow GPU, since the first gains more by the fast one, which it leaves
/// after 100 s.
class FastLater : public TypeChoice {
 protected:
  std::vector<RunSegment> second_stays(double work, const Options& options = {}) {
    build({{"fast"}, {"slow"}});
    submit(0, add_kind({{"fast", 20}, {"slow", 1}}, 1), 2000);
    submit(0, add_kind({{"fast", 2}, {"slow", 1}}, 1), work);
    return stays(run(options), 1);
  }
};

TEST_F(FastLater, a_running_job_with_much_left_moves_to_a_faster_type_that_becomes_free) {
  const auto all = second_stays(1000);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(type_of(all[0]), "slow");
  EXPECT_EQ(type_of(all[1]), "fast");
  EXPECT_EQ(from(all[1]), 100);
  EXPECT_NEAR(seconds(all[1].to - world.start()), 100 + 30 + 900 / 2, 0.01) << "with a restart";
}

TEST_F(FastLater, a_running_job_with_little_left_stays) {
  // 60 s are left: 30 s there, and 30 s for the restart.
  const auto all = second_stays(160);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(type_of(all[0]), "slow");
}

TEST_F(FastLater, nobody_moves_where_types_are_not_chosen) {
  for (const Options& options : {Options{{"types", "joined"}}, Options{{"rank", "shares"}}})
    EXPECT_EQ(second_stays(1000, options).size(), 1u);
}

TEST_F(TypeChoice, lets_jobs_that_wait_have_whatever_type_becomes_free) {
  build({{"fast"}, {"slow"}});
  const KindId kind = add_kind({{"fast", 1}, {"slow", 1}}, 1);
  for (int i = 0; i < 6; ++i) submit(0, kind, 100);
  const RunLog log = run();
  for (std::uint32_t job = 0; job < 6; ++job) {
    ASSERT_EQ(stays(log, job).size(), 1u);
    EXPECT_EQ(from(stays(log, job).front()), 100 * (job / 2));
  }
}

TEST_F(TypeChoice, runs_no_job_on_a_type_that_does_not_know_its_kind_or_that_it_may_not_use) {
  build({{"fast", 4}, {"slow", 1}});
  const KindId known_on_one = add_kind({{"slow", 1}}, 4);
  const KindId known_on_both = add_kind({{"fast", 9}, {"slow", 1}}, 4);
  for (int i = 0; i < 3; ++i) submit(0, known_on_one, 100);
  submit(0, known_on_both, 100);
  world.jobs.back().job.gpu_types = 2;
  const RunLog log = run();
  for (std::uint32_t job = 0; job < 4; ++job)
    for (const RunSegment& stay : stays(log, job)) EXPECT_EQ(type_of(stay), "slow");
}

TEST_F(TypeChoice, lets_rigid_jobs_wait_for_any_type) {
  build({{"fast", 2}, {"slow", 2}});
  for (int i = 0; i < 4; ++i) add_job(world, {.gpus = 2, .requested = 100, .actual = 100});
  const RunLog log = run();
  for (std::uint32_t job = 0; job < 4; ++job) {
    ASSERT_EQ(stays(log, job).size(), 1u);
    EXPECT_EQ(from(stays(log, job).front()), 100 * (job / 2));
  }
}

TEST_F(TypeChoice, gives_jobs_the_same_types_in_whatever_order_nodes_are_listed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
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

}  // namespace
}  // namespace penstock
