// Jobs that change their pool, by choosers that know nothing of what is good.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "policies/elastic/baselines.h"
#include "policies/elastic/elastic_policy.h"
#include "worlds/random_world.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

using ChoosePools = std::function<std::vector<PoolChange>(std::span<const AllocationProblem>)>;

class ScriptedChooser final : public SharedByPools, public PoolChooser {
 public:
  explicit ScriptedChooser(ChoosePools choose) : choose_(std::move(choose)) {}
  PoolChooser* pool_chooser() override { return this; }
  std::vector<PoolChange> choose(std::span<const AllocationProblem> problems) override {
    return choose_(problems);
  }

 private:
  ChoosePools choose_;
};

RunLog run_choosing(const World& world, const MakeAllocator& make_allocator, ChoosePools choose) {
  const auto policy =
      make_elastic_policy({.cluster = world.cluster, .costs = world.costs, .start = world.start()},
                          make_allocator, std::make_unique<ScriptedChooser>(std::move(choose)));
  return run_logged(world, *policy);
}

/// Every job gets what it asked for, as long as there is any.
class AsAsked final : public Allocator {
 public:
  void allocate(AllocationProblem& problem) override {
    std::uint32_t free = problem.gpus;
    for (AllocationJob& job : problem.jobs) {
      if (job.state->job.gpus > free) continue;
      job.gpus = job.state->job.gpus;
      free -= job.gpus;
    }
  }
};

/// Two types with one node of two GPUs each, on which a job of one GPU works one unit a second.
World two_types() {
  World world;
  world.signals.resize(1);
  world.forecasts.resize(1);
  world.cluster.types = {{.name = "one"}, {.name = "other"}};
  add_site(world.cluster, "here",
           {{.count = 1, .gpus = 2, .type = {0}}, {.count = 1, .gpus = 2, .type = {1}}});
  world.costs.restart = 10s;
  world.models = Models(2);
  const KindId kind = world.models.add_kind();
  for (std::uint32_t type = 0; type < 2; ++type)
    world.models.set(kind, GpuTypeId{type},
                     {.speed = {.beta_c = 1},
                      .batch = {.least = 8, .most = 8, .local_most = 8},
                      .gpus_most = 2});
  return world;
}

void submit_job(World& world, double when, std::uint32_t gpus, double time, bool is_rigid = false) {
  add_job(world, {.submitted = when, .gpus = gpus, .requested = time, .actual = time});
  if (is_rigid) return;
  world.jobs.back().job.kind_id = KindId{0};
  world.jobs.back().job.batch = 8;
  world.jobs.back().job.work = world.jobs.back().work = Work(time * gpus);
}

/// At the given second every job that runs goes to the other pool.
ChoosePools swap_at(const World& world, double when) {
  const Time then = world.start() + round_duration(when);
  return [then, done = false](std::span<const AllocationProblem> problems) mutable {
    std::vector<PoolChange> changes;
    if (done || problems.front().view.now != then) return changes;
    done = true;
    for (std::uint32_t pool = 0; pool < 2; ++pool)
      for (const AllocationJob& job : problems[pool].jobs)
        if (job.gpus_now > 0) changes.push_back({job.id, 1 - pool});
    return changes;
  };
}

std::vector<RunSegment> stays_in(const World& world, const RunLog& log, std::uint32_t job) {
  const Replay replay(world, log);
  EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
  return replay.stays_of(JobId{job});
}

constexpr auto kAsAsked = [] { return std::make_unique<AsAsked>(); };

TEST(PoolChooser, moves_a_running_job_by_one_action_where_there_is_room) {
  World world = two_types();
  submit_job(world, 0, 2, 100);
  submit_job(world, 40, 1, 1);  // so that somebody asks
  const RunLog log = run_choosing(world, kAsAsked, swap_at(world, 41));
  const auto stays = stays_in(world, log, 0);
  ASSERT_EQ(stays.size(), 2u);
  EXPECT_NE(world.cluster.node_of[stays[0].where.front().first.index],
            world.cluster.node_of[stays[1].where.front().first.index]);
  EXPECT_EQ(stays[1].to - world.start(), Duration(100s + 10s)) << "with one restart";
  EXPECT_EQ(log.ended.back().resizes, 1u);
  EXPECT_EQ(log.ended.back().preemptions, 0u);
}

TEST(PoolChooser, lets_jobs_change_places_at_one_instant) {
  for (const bool is_rigid : {false, true}) {
    World world = two_types();
    submit_job(world, 0, 2, 100, is_rigid);
    submit_job(world, 0, 2, 100, is_rigid);
    submit_job(world, 40, 2, 1);  // waits, and asks
    const RunLog log = run_choosing(world, kAsAsked, swap_at(world, 40));
    for (std::uint32_t job = 0; job < 2; ++job) {
      const auto stays = stays_in(world, log, job);
      ASSERT_EQ(stays.size(), 2u) << is_rigid;
      EXPECT_EQ(stays[1].from - world.start(), Duration(40s));
      EXPECT_EQ(stays[1].to - world.start(), Duration(100s + 10s));
      EXPECT_NE(stays[0].where, stays[1].where);
    }
    EXPECT_EQ(log.result.preemptions, is_rigid ? 2u : 1u) << "only as many as must";
  }
}

TEST(PoolChooser, lets_waiting_jobs_change_their_pool) {
  World world = two_types();
  submit_job(world, 0, 2, 100);
  submit_job(world, 0, 2, 100);
  submit_job(world, 1, 2, 50);
  submit_job(world, 2, 1, 1);
  // The third waits in the first pool until the fourth comes, then for the second.
  const RunLog log =
      run_choosing(world, kAsAsked, [&](std::span<const AllocationProblem> problems) {
        std::vector<PoolChange> changes;
        for (const AllocationJob& job : problems[0].jobs)
          if (job.id == JobId{2} && job.gpus_now == 0) changes.push_back({job.id, 1});
        return changes;
      });
  const auto stays = stays_in(world, log, 2);
  ASSERT_EQ(stays.size(), 1u);
  EXPECT_EQ(world.cluster.node(stays[0].where.front().first).type, GpuTypeId{1});
}

/// May a job run there as it asked, or with any power of two?
bool has_room(const AllocationJob& job, const AllocationProblem& home,
              const AllocationProblem& there) {
  const JobState& state = *job.state;
  if ((state.job.gpu_types >> there.type.index & 1) == 0) return false;
  if (state.job.gpus > there.packing.pool().total()) return false;
  if (job.gpus_now > 0) return home.site == there.site;
  return state.at == kNoSite || state.at == there.site;
}

/// For a while, jobs go wherever they may.
ChoosePools at_random(std::uint64_t seed) {
  return [rng = Rng(seed), left = 300](std::span<const AllocationProblem> problems) mutable {
    std::vector<PoolChange> changes;
    if (left-- <= 0) return changes;
    for (std::uint32_t pool = 0; pool < problems.size(); ++pool)
      for (const AllocationJob& job : problems[pool].jobs) {
        const auto to = static_cast<std::uint32_t>(rng.below(problems.size()));
        if (to != pool && rng.uniform() < 0.5 && has_room(job, problems[pool], problems[to]))
          changes.push_back({job.id, to});
      }
    return changes;
  };
}

TEST(PoolChooser, keeps_all_rules_wherever_it_sends_jobs) {
  std::size_t moved = 0;
  for (std::uint64_t seed = 0; seed < 150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const World world = random_world(seed, {.most_types = 2, .elastic = seed % 3 != 0});
    const RunLog log = run_choosing(world, [] { return make_afs(); }, at_random(seed));
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    EXPECT_EQ(log.ended.size(), world.jobs.size());
    for (const TracedJob& traced : world.jobs) {
      const auto stays = replay.stays_of(traced.job.id);
      for (std::size_t i = 1; i < stays.size(); ++i)
        moved += world.cluster.node(stays[i].where.front().first).type !=
                 world.cluster.node(stays[i - 1].where.front().first).type;
    }
  }
  EXPECT_GT(moved, 200u);
}

}  // namespace
}  // namespace penstock
