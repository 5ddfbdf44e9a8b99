// What every policy must keep, for those that learn and choose.
#include "learn/mars/learned_policies.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "io/text/file.h"
#include "learn/mars/ensemble.h"
#include "registry/registry.h"
#include "worlds/changed_future.h"
#include "worlds/random_world.h"
#include "worlds/reasons.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/text.h"

namespace penstock {
namespace {

/// A weights file with two networks that have learnt nothing, gone with its owner.
class WeightsFile {
 public:
  WeightsFile() {
    Ensemble ensemble;
    for (const char* name : {"one", "two"})
      ensemble.members.push_back(
          {name, ActorCritic(observer_shape(ActorKind::kernel), Rng(7).stream(name))});
    EXPECT_TRUE(replace_file(path_, encode_ensemble(ensemble)));
  }
  ~WeightsFile() { std::filesystem::remove(path_); }
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("penstock-weights-" + std::to_string(::getpid()));
};

RunLog run_in(const World& world, std::string_view name, const Options& options,
              bool explain = false) {
  auto made = every_policy().make(
      {.cluster = world.cluster, .costs = world.costs, .start = world.start()}, name, options);
  EXPECT_TRUE(made) << made.error().message;
  return run_logged(world, **made, world.models, explain);
}

class LearnedPolicy : public testing::Test {
 protected:
  template <class Look>
  void for_each_run(const Look& look) const {
    const std::vector<std::pair<std::string, Options>> variants{
        {"rl", {}},
        {"rl", {{"weights", file.path()}, {"backfill", "none"}, {"place", "buddy"}}},
        {"mars", {}},
        {"mars", {{"weights", file.path()}, {"confidence", "0"}, {"epoch", "1 s"}}},
        {"mars", {{"weights", file.path()}, {"sizing", "fill"}, {"reward", "wait"}}},
        {"mars", {{"backfill", "none"}, {"sizing", "shrink"}, {"reward", "slowdown"}}},
        {"mars", {{"place", "consolidate"}, {"ahead", "0"}, {"futures", "1"}}},
    };
    for (std::size_t i = 0; i < variants.size(); ++i)
      for (std::uint64_t seed = 100 * i; seed < 100 * i + 8 && !HasFailure(); ++seed) {
        SCOPED_TRACE(testing::Message() << variants[i].first << " " << i << ", world " << seed);
        look(random_world(seed, {.elastic = seed % 2 == 1, .tables = seed % 4 >= 2}),
             variants[i].first, variants[i].second);
      }
  }
  WeightsFile file;
};

TEST_F(LearnedPolicy, acts_only_as_is_possible_and_ends_every_job_once) {
  for_each_run([](const World& world, const std::string& name, const Options& options) {
    const RunLog log = run_in(world, name, options);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    EXPECT_EQ(log.ended.size(), world.jobs.size());
  });
}

TEST_F(LearnedPolicy, gives_the_same_run_twice) {
  for_each_run([](const World& world, const std::string& name, const Options& options) {
    EXPECT_EQ(text_of(run_in(world, name, options).turns, world.start()),
              text_of(run_in(world, name, options).turns, world.start()));
  });
}

TEST_F(LearnedPolicy, says_why_of_all_it_does_and_does_the_same_unasked) {
  for_each_run([](const World& world, const std::string& name, const Options& options) {
    const RunLog log = run_in(world, name, options, true);
    expect_reasons(log);
    expect_same_unexplained(log, run_in(world, name, options), world.start());
  });
}

TEST_F(LearnedPolicy, names_the_strategy_that_chose) {
  World world = one_site(1, 4);
  add_job(world, {.submitted = 0, .gpus = 4, .requested = 100, .actual = 100});
  const RunLog log = run_in(world, "mars", {{"strategies", "fifo"}}, true);
  EXPECT_EQ(said_at(0, 0, log, world), "4 GPUs chosen by the strategy fifo+easy");
  const RunLog untrained = run_in(world, "rl", {}, true);
  EXPECT_EQ(said_at(0, 0, untrained, world), "4 GPUs chosen by the network untrained");
}

TEST_F(LearnedPolicy, decides_nothing_by_what_is_still_to_come) {
  for_each_run([](const World& world, const std::string& name, const Options& options) {
    const RunLog log = run_in(world, name, options);
    const Time then = world.start() + (log.turns.back().now - world.start()) / 2;
    const World other = with_changed_future(world, log, then);
    EXPECT_EQ(text_of(turns_before(log, then), world.start()),
              text_of(turns_before(run_in(other, name, options), then), world.start()));
  });
}

TEST_F(LearnedPolicy, mars_sees_the_short_job_behind_many_long_ones) {
  World world = one_site(1, 4);
  for (int i = 0; i < 30; ++i)
    add_job(world, {.submitted = 1.0 * i, .gpus = 4, .requested = 36'000, .actual = 36'000});
  add_job(world, {.submitted = 100, .gpus = 4, .requested = 60, .actual = 60});
  const RunLog log = run_in(world, "mars", {{"reward", "slowdown"}, {"window", "8"}});
  const auto last = std::ranges::find(log.ended, JobId{30}, &EndedJob::job);
  ASSERT_NE(last, log.ended.end());
  EXPECT_EQ(last->first_start, world.start() + std::chrono::hours(10));
}

std::string policy_error(std::string_view name, const Options& options) {
  const auto checked = every_policy().check(name, options);
  return checked ? "" : checked.error().message;
}

TEST_F(LearnedPolicy, says_what_is_possible) {
  EXPECT_NE(policy_error("mars", {{"reward", "joy"}}).find("slowdown or wait"), std::string::npos);
  EXPECT_NE(policy_error("mars", {{"strategies", "luck"}}).find("there are: fifo"),
            std::string::npos);
  EXPECT_NE(policy_error("mars", {{"strategies", " "}}).find("at least one"), std::string::npos);
  EXPECT_NE(policy_error("rl", {{"backfill", "3"}}).find("easy"), std::string::npos);
  EXPECT_NE(policy_error("rl", {{"weights", "/no/such/file"}}).find("/no/such/file"),
            std::string::npos);
  EXPECT_NE(policy_error("fifo", {{"weights", "none"}}).find("no option"), std::string::npos);
  EXPECT_EQ(policy_error("mars", {{"strategies", "sjf sjf+easy+10%<1h"}}), "");
}

TEST_F(LearnedPolicy, refuses_weights_that_are_cut_off) {
  const auto whole = read_file(file.path());
  ASSERT_TRUE(whole);
  ASSERT_TRUE(replace_file(file.path(), std::string_view(*whole).substr(0, whole->size() / 2)));
  EXPECT_NE(policy_error("mars", {{"weights", file.path()}}).find(file.path()), std::string::npos);
}

TEST_F(LearnedPolicy, rl_needs_a_network_in_its_weights) {
  ASSERT_TRUE(replace_file(file.path(), encode_ensemble({})));
  EXPECT_EQ(policy_error("mars", {{"weights", file.path()}}), "");
  EXPECT_NE(policy_error("rl", {{"weights", file.path()}}).find("no network"), std::string::npos);
}

}  // namespace
}  // namespace penstock
