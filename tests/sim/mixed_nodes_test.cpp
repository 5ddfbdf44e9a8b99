// Elastic policies where nodes differ in size, in any order, where there are two GPU types, and
// where kinds were measured on one GPU alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "worlds/replay.h"
#include "worlds/run_log.h"
#include "worlds/world.h"
#include "worlds/worlds_to_try.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

struct MixedLimits {
  std::uint32_t types = 1;
  std::uint32_t gpus_most = 16;  ///< on which the kinds were measured
  std::uint32_t jobs = 24;
  std::uint32_t most_asked = 8;  ///< GPUs
  bool one_size = false;         ///< all nodes have as many GPUs
};

/// Draws worlds of one site with three to six nodes of four or eight GPUs.
class MixedDice {
 public:
  MixedDice(std::uint64_t seed, const MixedLimits& limits)
      : rng_(Rng(seed).stream("mixed")), limits_(limits) {}

  World roll() {
    World world;
    for (std::uint32_t i = 0; i < limits_.types; ++i)
      world.cluster.types.push_back({.name = i == 0 ? "old" : "new",
                                     .min_clock_mhz = 400,
                                     .max_clock_mhz = 1000 + 200 * i,
                                     .clock_step_mhz = 200,
                                     .idle = Watts(50),
                                     .peak = Watts(400)});
    add_site(world.cluster, "here", roll_nodes());
    world.signals.resize(1);
    world.forecasts.resize(1);
    world.costs.restart = 30s;
    if (rng_.uniform() < 0.3) world.costs.sleep_after = 10min;
    world.models = Models(limits_.types);
    for (std::uint32_t i = 0; i < 3; ++i) roll_kind(world);
    roll_jobs(world);
    return world;
  }

 private:
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(rng_.below(most - least + 1));
  }
  double real(double least, double most) { return least + (most - least) * rng_.uniform(); }

  /// Each type has a node of each size, so that any job finds room on any type.
  std::vector<NodeGroup> roll_nodes() {
    std::vector<NodeGroup> nodes;
    const std::uint32_t size = between(1, 2) * 4;
    const auto add = [&](std::uint32_t gpus, std::uint32_t type) {
      if (limits_.one_size) gpus = size;
      nodes.push_back({.count = 1, .gpus = gpus, .type = {type}, .base = Watts(200)});
    };
    for (std::uint32_t type = 0; type < limits_.types; ++type)
      for (const std::uint32_t gpus : {4u, 8u}) add(gpus, type);
    for (std::uint32_t n = between(1, 3); n > 0; --n)
      add(between(1, 2) * 4, between(0, limits_.types - 1));
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[rng_.below(i)]);
    return nodes;
  }

  void roll_kind(World& world) {
    const KindId kind = world.models.add_kind();
    for (std::uint32_t i = 0; i < limits_.types; ++i)
      world.models.set(kind, GpuTypeId{i},
                       {.name = "kind",
                        .gpu = world.cluster.types[i].name,
                        .speed = {.alpha_c = real(0.005, 0.1),
                                  .beta_c = real(0.0005, 0.01),
                                  .alpha_r = real(0, 0.05),
                                  .beta_r = real(0, 0.003),
                                  .alpha_n = real(0.05, 0.1),
                                  .beta_n = real(0, 0.005),
                                  .gamma = real(1, 4),
                                  .delta = real(0, 0.7)},
                        .power = {.p0 = Watts(60), .p3 = Watts(real(100, 340))},
                        .batch = {.least = 8,
                                  .most = 512,
                                  .local_most = 64,
                                  .accumulates = rng_.uniform() < 0.5},
                        .batch_usual = 16,
                        .gpus_most = limits_.gpus_most});
  }

  void roll_jobs(World& world) {
    double at = 0;
    for (std::uint32_t i = 0; i < limits_.jobs; ++i) {
      at += real(0, 900);
      const double time = real(300, 20'000);
      add_job(world, {.submitted = at,
                      .gpus = std::min(1u << between(0, 3), limits_.most_asked),
                      .requested = time,
                      .actual = time});
      Job& job = world.jobs.back().job;
      job.kind_id = KindId{between(0, 2)};
      job.batch = 16.0 * job.gpus;
      if (limits_.types > 1 && rng_.uniform() < 0.3) job.gpu_types = 1ull << between(0, 1);
      const GpuTypeId type{job.gpu_types == 2 ? 1u : 0u};
      const Config asked{.gpus = job.gpus, .batch = job.batch};
      job.work = world.jobs.back().work =
          Speed(throughput(*world.models.find(job, type), asked) / 1e3) * round_duration(time);
    }
  }

  Rng rng_;
  MixedLimits limits_;
};

/// The same nodes the other way round.
World reversed(World world) {
  Cluster cluster;
  cluster.types = world.cluster.types;
  std::vector<NodeGroup> nodes;
  for (const Node& node : world.cluster.nodes)
    nodes.insert(nodes.begin(),
                 {.count = 1, .gpus = node.gpus, .type = node.type, .base = node.base});
  add_site(cluster, "here", nodes);
  world.cluster = cluster;
  return world;
}

struct MixedCase {
  std::string policy;
  Options options{};
};

std::vector<MixedCase> mixed_cases() {
  return {{"afs"},
          {"optimus"},
          {"gandiva"},
          {"tiresias"},
          {"powerflow"},
          {"powerflow", {{"energy_price", "3000"}}},
          {"powerflow", {{"energy_budget", "9 kWh/h"}}},
          {"powerflow", {{"energy_budget", "100 kWh"}}},
          {"powerflow", {{"rank", "published"}}}};
}

std::string mixed_name(const testing::TestParamInfo<MixedCase>& info) {
  std::string name = info.param.policy;
  for (const auto& [option, value] : info.param.options) name += "_" + option + "_" + value;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// How long each job took from its submission, by its number, and what all of it needed.
struct MixedRun {
  std::vector<double> seconds{};
  double joules = 0;
  double mean_seconds() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0) /
           static_cast<double>(seconds.size());
  }
};

class MixedNodes : public testing::TestWithParam<MixedCase> {
 protected:
  static constexpr std::uint64_t kMixedWorlds = worlds_to_try(20);

  /// Checks, too, that every action was possible and every job ended.
  MixedRun run_in(const World& world) const {
    const RunLog log = run_logged(world, GetParam().policy, GetParam().options);
    const Replay replay(world, log);
    EXPECT_TRUE(replay.faults().empty()) << replay.faults().front();
    EXPECT_EQ(log.ended.size(), world.jobs.size());
    MixedRun run{.seconds = std::vector<double>(world.jobs.size()),
                 .joules = log.result.sites[0].bill.total().energy.value()};
    for (const EndedJob& job : log.ended)
      run.seconds[job.job.index] = seconds(job.finish - world.jobs[job.job.index].job.submitted);
    return run;
  }
  /// Compares runs in worlds and in those with their nodes the other way round.
  template <class Compare>
  void for_both_orders(const MixedLimits& limits, const Compare& compare) const {
    for (std::uint64_t seed = 0; seed < kMixedWorlds && !HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << "world " << seed);
      const World world = MixedDice(seed, limits).roll();
      compare(run_in(world), run_in(reversed(world)));
    }
  }
};

TEST_P(MixedNodes, let_every_job_end_and_take_as_long_on_average_in_any_order) {
  for (const std::uint32_t types : {1u, 2u})
    for (const std::uint32_t gpus_most : {1u, 16u}) {
      SCOPED_TRACE(testing::Message() << types << " types, at most " << gpus_most << " GPUs");
      double sum = 0;
      double reversed_sum = 0;
      for_both_orders({.types = types, .gpus_most = gpus_most},
                      [&](const MixedRun& run, const MixedRun& other) {
                        sum += run.mean_seconds();
                        reversed_sum += other.mean_seconds();
                      });
      EXPECT_NEAR(reversed_sum / sum, 1, 0.02);
    }
}

TEST_P(MixedNodes, of_one_size_and_two_types_give_the_same_run_in_any_order) {
  for (const std::uint32_t gpus_most : {1u, 16u})
    for_both_orders({.types = 2, .gpus_most = gpus_most, .one_size = true},
                    [&](const MixedRun& run, const MixedRun& other) {
                      EXPECT_EQ(run.seconds, other.seconds);
                      EXPECT_NEAR(run.joules / other.joules, 1, 1e-9);
                    });
}

TEST_P(MixedNodes, of_two_sizes_give_jobs_the_same_times_in_any_order_where_there_is_room) {
  for_both_orders({.jobs = 3}, [&](const MixedRun& run, const MixedRun& other) {
    EXPECT_EQ(run.seconds, other.seconds);
  });
}

/// But for jobs that are moved so that nodes can sleep: there it matters which node is the first.
TEST_P(MixedNodes, give_jobs_of_one_gpu_the_same_times_in_any_order) {
  const bool moves = GetParam().options.contains("energy_price");
  for_both_orders({.gpus_most = 1, .jobs = 40, .most_asked = 1},
                  [&](const MixedRun& run, const MixedRun& other) {
                    if (!moves) {
                      EXPECT_EQ(run.seconds, other.seconds);
                    }
                    EXPECT_NEAR(run.mean_seconds() / other.mean_seconds(), 1, 0.02);
                  });
}

INSTANTIATE_TEST_SUITE_P(Elastic, MixedNodes, testing::ValuesIn(mixed_cases()), mixed_name);

}  // namespace
}  // namespace penstock
