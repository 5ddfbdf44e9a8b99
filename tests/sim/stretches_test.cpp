// What jobs held and when, as observers are told: by hand in small worlds, and in random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "policies/wrappers.h"
#include "worlds/elastic_site.h"
#include "worlds/random_world.h"
#include "worlds/restless.h"
#include "worlds/run_log.h"
#include "worlds/script.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// No cost of restarting; one job that works 100 s as asked.
class SmallStretches : public testing::Test {
 protected:
  SmallStretches() {
    add_job(world, {.gpus = 1, .requested = 1000, .actual = 100});
    Job& asked = world.jobs.back().job;
    asked.kind_id = KindId{0};
    asked.batch = 1;
    asked.work = Work(1000);
    world.jobs.back().work = Work(100);
  }
  Time at(Duration since) const { return world.start() + since; }

  /// "0-100 @0 1000 finished": from, to, the first GPUs, clock, and what ended it.
  std::vector<std::string> run(std::vector<Script::Line> lines) {
    Script told(std::move(lines));
    std::vector<std::string> texts;
    for (const HeldStretch& held : run_logged(world, told).stretches) {
      std::string text = std::to_string((held.from - world.start()).count() / 1000) + "-" +
                         std::to_string((held.to - world.start()).count() / 1000) + " @";
      for (const GpuRange& range : held.where)
        text += std::to_string(range.first.index) + "x" + std::to_string(range.count);
      text += " " + std::to_string(held.clock_mhz) + " ";
      texts.push_back(text + std::string(kStretchEnds.at(static_cast<std::size_t>(held.ended_by))));
    }
    return texts;
  }

  using Texts = std::vector<std::string>;
  World world = elastic_site();
  const JobId job{0};
  const Placement first{{GpuId{0}, 1}};
  const Placement third{{GpuId{2}, 1}};
};

TEST_F(SmallStretches, a_run_in_one_piece_is_one_stretch) {
  EXPECT_EQ(run({{at(0s), Start{job, first}}}), (Texts{"0-100 @0x1 1000 finished"}));
}

TEST_F(SmallStretches, a_job_that_is_stopped_holds_nothing_in_between) {
  EXPECT_EQ(
      run({{at(0s), Start{job, first}}, {at(40s), Preempt{job}}, {at(70s), Start{job, third}}}),
      (Texts{"0-40 @0x1 1000 preempted", "70-130 @2x1 1000 finished"}));
}

TEST_F(SmallStretches, other_gpus_are_another_stretch) {
  EXPECT_EQ(
      run({{at(0s), Start{job, first}},
           {at(40s), Resize{job, {{GpuId{0}, 2}}, {.batch = 2}}},
           {at(60s), Migrate{job, {{GpuId{2}, 2}}}}}),
      (Texts{"0-40 @0x1 1000 resized", "40-60 @0x2 1000 migrated", "60-70 @2x2 1000 finished"}));
}

TEST_F(SmallStretches, another_clock_and_another_batch_are_other_stretches) {
  EXPECT_EQ(run({{at(0s), Start{job, first}},
                 {at(40s), SetClock{job, 500}},
                 {at(60s), SetBatch{job, 2}}}),
            (Texts{"0-40 @0x1 1000 clock", "40-60 @0x1 500 batch", "60-110 @0x1 500 finished"}));
}

TEST_F(SmallStretches, changes_at_one_instant_leave_no_empty_stretch) {
  EXPECT_EQ(run({{at(0s), Start{job, first}},
                 {at(40s), SetClock{job, 500}},
                 {at(40s), SetBatch{job, 2}},
                 {at(40s), Migrate{job, third}}}),
            (Texts{"0-40 @0x1 1000 clock", "40-100 @2x1 500 finished"}));
}

TEST_F(SmallStretches, a_job_that_runs_into_its_request_is_killed) {
  world.jobs[0].job.work = Work(30);
  EXPECT_EQ(run({{at(0s), Start{job, first}}}), (Texts{"0-30 @0x1 1000 killed"}));
}

/// What was done by then is kept here.
TEST_F(SmallStretches, a_failed_node_interrupts) {
  world.sim.outages = {{.site = SiteId{0}, .from = at(10s), .until = at(20s)}};
  EXPECT_EQ(run({{at(0s), Start{job, first}}, {at(25s), Start{job, first}}}),
            (Texts{"0-10 @0x1 1000 interrupted", "25-115 @0x1 1000 finished"}));
}

// Random worlds.

RunLog run_stretches(const World& world) {
  Duration pause = Duration(2);
  for (const TracedJob& traced : world.jobs) pause = std::max(pause, traced.actual / 4);
  std::unique_ptr<Policy> policy = std::make_unique<Restless>(world.sim.seed, 60, pause);
  if (world.costs.sleep_after)
    policy =
        make_sleep_idle({.cluster = world.cluster, .costs = world.costs, .start = world.start()},
                        *world.costs.sleep_after, std::move(policy));
  return run_logged(world, *policy);
}

template <class Look>
void for_each_log(const Look& look) {
  for (std::uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    World world = random_world(seed, {.most_jobs = 15, .elastic = true});
    if (world.sim.failures) world.sim.failures->mtbf /= 6;
    look(world, run_stretches(world));
  }
}

/// What the stretches of one job add up to.
struct HeldSum {
  Duration held{};
  double gpu_time = 0;
  double clock_time = 0;
  std::map<StretchEnd, std::uint32_t> ends{};
  const HeldStretch* last = nullptr;
};

std::map<JobId, HeldSum> sums_of(const RunLog& log) {
  std::map<JobId, HeldSum> sums;
  for (const HeldStretch& stretch : log.stretches) {
    HeldSum& sum = sums[stretch.job];
    const Duration length = stretch.to - stretch.from;
    EXPECT_GT(length, Duration::zero());
    EXPECT_TRUE(sum.last == nullptr || sum.last->to <= stretch.from);
    sum.held += length;
    sum.gpu_time += static_cast<double>(length.count()) * gpu_count(stretch.where);
    sum.clock_time += static_cast<double>(length.count()) * stretch.clock_mhz;
    ++sum.ends[stretch.ended_by];
    sum.last = &stretch;
  }
  return sums;
}

TEST(Stretches, of_a_job_add_up_to_its_record) {
  for_each_log([](const World&, const RunLog& log) {
    auto sums = sums_of(log);
    for (const EndedJob& job : log.ended) {
      const HeldSum& sum = sums[job.job];
      EXPECT_EQ(sum.held, job.held);
      if (sum.last == nullptr) continue;  // it held GPUs for no time at all
      const auto held = static_cast<double>(job.held.count());
      EXPECT_NEAR(sum.gpu_time / held, job.gpus_mean, 1e-9 * job.gpus_mean);
      EXPECT_NEAR(sum.clock_time / held, job.clock_mean_mhz, 1e-9 * job.clock_mean_mhz);
      EXPECT_LE(sum.last->to, job.finish);
    }
  });
}

TEST(Stretches, count_no_change_that_did_not_happen) {
  for_each_log([](const World&, const RunLog& log) {
    auto sums = sums_of(log);
    for (const EndedJob& job : log.ended) {
      const HeldSum& sum = sums[job.job];
      const auto ends = [&](StretchEnd end) {
        const auto found = sum.ends.find(end);
        return found == sum.ends.end() ? 0u : found->second;
      };
      EXPECT_LE(ends(StretchEnd::preempted), job.preemptions);
      EXPECT_LE(ends(StretchEnd::interrupted), job.interruptions);
      EXPECT_LE(ends(StretchEnd::resized), job.resizes);
      EXPECT_LE(ends(StretchEnd::migrated), job.migrations);
      EXPECT_LE(ends(StretchEnd::killed), job.outcome == Outcome::killed ? 1u : 0u);
      if (sum.last == nullptr || sum.last->to < job.finish) continue;
      EXPECT_EQ(sum.last->where, job.where);
      EXPECT_EQ(sum.last->site, job.site);
    }
  });
}

TEST(Stretches, never_hold_a_gpu_twice_at_once) {
  for_each_log([](const World&, const RunLog& log) {
    std::map<std::uint32_t, std::vector<std::pair<Time, Time>>> by_gpu;
    for (const HeldStretch& stretch : log.stretches)
      for (const GpuRange& range : stretch.where)
        for (std::uint32_t i = 0; i < range.count; ++i)
          by_gpu[range.first.index + i].emplace_back(stretch.from, stretch.to);
    for (auto& [gpu, times] : by_gpu) {
      std::ranges::sort(times);
      for (std::size_t i = 1; i < times.size(); ++i)
        EXPECT_LE(times[i - 1].second, times[i].first) << "GPU " << gpu;
    }
  });
}

}  // namespace
}  // namespace penstock
