// The short runs by which powerflow finds out about a kind that is only guessed at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "worlds/random_world.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/text.h"
#include "worlds/world.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// Two nodes of four GPUs with clocks from 400 to 1000 MHz. A restart takes 30 s. A job
/// gets on by its batch each second on one GPU at the highest clock.
class ProfilingRuns : public testing::Test {
 protected:
  ProfilingRuns() {
    GpuType& type = world.cluster.types[0];
    type.min_clock_mhz = 400;
    type.clock_step_mhz = 100;
    type.max_clock_mhz = 1000;
    world.costs.restart = 30s;
    world.models = Models(1);
    world.models.guess(world.models.add_kind(), {}, guess);
  }
  void submit(double when, double work) {
    add_job(world, {.submitted = when, .gpus = 1, .requested = work, .actual = work});
    world.jobs.back().job.kind_id = KindId{0};
    world.jobs.back().job.batch = 4;
    world.jobs.back().job.work = world.jobs.back().work = Work(4 * work);
  }
  /// The first actions, at most so many, one a line.
  std::string actions(std::size_t most, const Options& options = {}) const {
    std::string text;
    for (const Turn& turn : run_logged(world, "powerflow", options).turns)
      for (const Action& action : turn.actions)
        if (most > 0 && most-- > 0)
          text += text_of(turn.now - world.start()) + ": " + text_of(action) + "\n";
    return text;
  }

  Profile guess{.speed = {.alpha_c = 1},
                .power = {.p0 = Watts(50), .p1 = Watts(100), .p3 = Watts(100)},
                .noise = {.scale = 1e17},  // every sample counts the same
                .batch = {.least = 4, .most = 32, .local_most = 8},
                .gpus_most = 8};
  World world = one_site(2, 4);
};

TEST_F(ProfilingRuns, are_one_gpu_fast_and_slow_and_then_two) {
  submit(0, 10'000);
  EXPECT_EQ(actions(3),
            "0 s: job 0 starts on 0 at 1000 MHz with a batch of 4\n"
            "60 s: job 0 is clocked at 600 MHz\n"
            "120 s: job 0 is resized to 0-1 at 1000 MHz with a batch of 4\n");
}

TEST_F(ProfilingRuns, are_as_long_as_is_asked_for) {
  submit(0, 10'000);
  EXPECT_EQ(actions(3, {{"profile", "5 min"}}),
            "0 s: job 0 starts on 0 at 1000 MHz with a batch of 4\n"
            "300 s: job 0 is clocked at 600 MHz\n"
            "600 s: job 0 is resized to 0-1 at 1000 MHz with a batch of 4\n");
}

TEST_F(ProfilingRuns, are_made_by_the_first_job_of_a_kind_alone) {
  submit(0, 10'000);
  submit(0, 10'000);
  EXPECT_EQ(actions(4),
            "0 s: job 1 starts on 0-3 at 1000 MHz with a batch of 32\n"
            "0 s: job 0 starts on 4 at 1000 MHz with a batch of 4\n"
            "60 s: job 0 is clocked at 600 MHz\n"
            "120 s: job 0 is resized to 4-5 at 1000 MHz with a batch of 4\n");
}

TEST_F(ProfilingRuns, go_on_with_the_next_job_when_one_ends_early) {
  submit(0, 90);
  submit(1'000, 10'000);
  EXPECT_EQ(actions(5),
            "0 s: job 0 starts on 0 at 1000 MHz with a batch of 4\n"
            "60 s: job 0 is clocked at 600 MHz\n"
            "1000 s: job 1 starts on 0 at 600 MHz with a batch of 4\n"
            "1060 s: job 1 is resized to 0-1 at 1000 MHz with a batch of 4\n"
            "1150 s: job 1 is resized to 0-3 at 1000 MHz with a batch of 32\n");
}

TEST_F(ProfilingRuns, leave_out_what_the_kind_cannot_do) {
  guess.gpus_most = 1;
  world.models.guess(KindId{0}, {}, guess);
  submit(0, 10'000);
  EXPECT_EQ(actions(4),
            "0 s: job 0 starts on 0 at 1000 MHz with a batch of 4\n"
            "60 s: job 0 is clocked at 600 MHz\n"
            "120 s: job 0 is clocked at 1000 MHz\n"
            "120 s: job 0 gets a batch of 8\n");
}

TEST_F(ProfilingRuns, keep_a_batch_that_one_gpu_can_hold_only_in_parts) {
  submit(0, 10'000);
  world.jobs.front().job.gpus = 2;
  world.jobs.front().job.batch = 16;
  for (const bool accumulates : {true, false}) {
    guess.batch.accumulates = accumulates;
    world.models.guess(KindId{0}, {}, guess);
    EXPECT_EQ(actions(1), fmt::format("0 s: job 0 starts on 0 at 1000 MHz with a batch of {}\n",
                                      accumulates ? 16 : 8));
  }
}

TEST_F(ProfilingRuns, leave_out_those_for_which_a_fixed_batch_is_too_large) {
  guess.batch.accumulates = false;
  world.models.guess(KindId{0}, {}, guess);
  submit(0, 10'000);
  world.jobs.front().job.gpus = 2;
  world.jobs.front().job.batch = 16;
  EXPECT_EQ(actions(1, {{"batch", "fixed"}}),
            "0 s: job 0 starts on 0-1 at 1000 MHz with a batch of 16\n");
}

TEST_F(ProfilingRuns, are_not_made_for_what_is_known) {
  world.models.set(KindId{0}, {}, guess);
  submit(0, 10'000);
  const RunLog log = run_logged(world, "powerflow", {});
  EXPECT_EQ(log.result.resizes, 0u);
  EXPECT_EQ(log.turns.size(), 2u);
}

TEST_F(ProfilingRuns, are_not_made_if_none_is_asked_for) {
  submit(0, 10'000);
  EXPECT_EQ(run_logged(world, "powerflow", {{"profile", "none"}}).turns.size(), 2u);
}

TEST_F(ProfilingRuns, are_paid_for_by_the_job) {
  submit(0, 10'000);
  const Duration with = run_logged(world, "powerflow", {}).ended[0].held;
  const Duration without = run_logged(world, "powerflow", {{"profile", "none"}}).ended[0].held;
  EXPECT_GT(with, without + 30s);
}

TEST(Profiling, never_keeps_a_job_from_its_end) {
  for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    World world = random_world(seed, {.most_jobs = 15, .elastic = true});
    for (std::uint32_t kind = 0; kind < world.models.kinds(); ++kind)
      for (std::uint32_t type = 0; type < world.models.types(); ++type)
        if (const Profile* profile = world.models.find(KindId{kind}, GpuTypeId{type}))
          world.models.guess(KindId{kind}, GpuTypeId{type}, Profile(*profile));
    const RunLog log = run_logged(world, "powerflow", {{"profile", "10 s"}});
    EXPECT_EQ(log.ended.size(), world.jobs.size());
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
  }
}

}  // namespace
}  // namespace penstock
