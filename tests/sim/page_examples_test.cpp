// The examples of docs/add-a-policy.md, which the build extracts, keep what every policy must keep.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policies/core_policies.h"
#include "policy/place/pool.h"
#include "worlds/changed_future.h"
#include "worlds/meddler.h"
#include "worlds/promises.h"
#include "worlds/random_world.h"
#include "worlds/reasons.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/text.h"

namespace penstock {

PolicyEntry my_fifo_entry();
PolicyEntry shortest_fit_entry();

namespace {

struct Example {
  PolicyEntry (*entry)();
  Options options;
};

class PageExample : public testing::TestWithParam<Example> {
 protected:
  static std::unique_ptr<Policy> make(const World& world) {
    const PolicyTable table({GetParam().entry()}, {}, policy_wrappers());
    auto made = table.make({.cluster = world.cluster, .costs = world.costs, .start = world.start()},
                           table.all().front().name, GetParam().options);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    return *std::move(made);
  }
  static RunLog run_in(const World& world) { return run_logged(world, *make(world)); }

  template <class Look>
  void for_each_world(const Look& look) const {
    for (std::uint64_t seed = 700; seed < 724 && !HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "world " << seed);
      look(random_world(seed, {.elastic = seed % 2 == 1, .tables = seed % 4 >= 2}), seed);
    }
  }
};

TEST_P(PageExample, acts_only_as_is_possible_and_ends_every_job_with_its_work_done) {
  for_each_world([&](const World& world, std::uint64_t /*seed*/) {
    const RunLog log = run_in(world);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    EXPECT_EQ(log.ended.size(), world.jobs.size());
    for (const TracedJob& traced : world.jobs) expect_work_done(world, replay, traced.job.id);
  });
}

TEST_P(PageExample, gives_the_same_run_twice_and_nothing_by_what_is_to_come) {
  for_each_world([&](const World& world, std::uint64_t /*seed*/) {
    const RunLog log = run_in(world);
    EXPECT_EQ(text_of(log.turns, world.start()), text_of(run_in(world).turns, world.start()));
    const Duration length = log.turns.back().now - world.start();
    const Time then = world.start() + round_duration(0.5 * seconds(length));
    const World other = with_changed_future(world, log, then);
    EXPECT_EQ(text_of(turns_before(log, then), world.start()),
              text_of(turns_before(run_in(other), then), world.start()));
  });
}

TEST_P(PageExample, says_why_of_all_it_does_and_does_the_same_unasked) {
  for_each_world([&](const World& world, std::uint64_t /*seed*/) {
    const RunLog log = run_explained(world, *make(world));
    expect_reasons(log);
    expect_same_unexplained(log, run_in(world), world.start());
  });
}

TEST_P(PageExample, is_sound_where_others_start_jobs_and_decisions_are_refused) {
  for_each_world([&](const World& world, std::uint64_t seed) {
    const RunLog log = run_meddled(world, *make(world),
                                   {.starts = 0.4, .refusals = 0.2, .seed = seed, .measures = 0.2});
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    EXPECT_EQ(log.ended.size(), world.jobs.size());
  });
}

INSTANTIATE_TEST_SUITE_P(AddAPolicy, PageExample,
                         testing::Values(Example{my_fifo_entry, {}},
                                         Example{shortest_fit_entry, {}},
                                         Example{shortest_fit_entry, {{"place", "buddy"}}}));

/// They differ only in who has waited longer after a failure or a parent: `fifo` goes by
/// submission, the example by the time in the queue.
TEST(PageExamples, my_fifo_decides_as_fifo_does_where_jobs_enter_the_queue_once) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World world = random_world(seed, {.failures = false});
    world.costs.sleep_after.reset();
    for (TracedJob& traced : world.jobs) traced.job.parents.clear();
    if (make_pools(world.cluster, PlaceRule::first_fit).size() > 1) continue;
    auto example = my_fifo_entry().make({.cluster = world.cluster}, "my-fifo", {});
    ASSERT_TRUE(example);
    EXPECT_EQ(text_of(run_logged(world, **example).turns, world.start()),
              text_of(run_logged(world, "fifo", {}).turns, world.start()));
  }
}

}  // namespace
}  // namespace penstock
