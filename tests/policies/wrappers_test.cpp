#include "policies/wrappers.h"

#include <gtest/gtest.h>

#include "worlds/policy_stage.h"
#include "worlds/script.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// What a policy that does as `lines` say does at these times after the start.
std::unique_ptr<Policy> scripted(const std::vector<std::pair<Duration, Action>>& lines) {
  std::vector<Script::Line> absolute;
  for (const auto& [after, action] : lines)
    absolute.emplace_back(PolicyStage::start() + after, action);
  return std::make_unique<Script>(absolute);
}

Start start_on(std::uint32_t job, std::uint32_t gpu) {
  return {.job = {job}, .where = {{GpuId{gpu}, 1}}, .knobs = {}};
}

/// Two nodes of one GPU with five clocks. Jobs of kind 0 need 100 W whatever the clock, and 200 W
/// times its cube; a sample takes a millisecond at the highest.
class ClockedTest : public testing::Test {
 protected:
  ClockedTest() : stage(cluster(), models()) {
    stage.submit({.id = {0}, .kind_id = KindId{0}, .batch = 8});
    stage.submit({.id = {1}});
  }
  static Cluster cluster() {
    Cluster cluster;
    cluster.types = {{.name = "gpu",
                      .min_clock_mhz = 200,
                      .max_clock_mhz = 1000,
                      .clock_step_mhz = 200,
                      .peak = Watts(300)}};
    add_site(cluster, "here", {{.count = 2, .gpus = 1}});
    return cluster;
  }
  static Models models() {
    Models models(1);
    models.set(models.add_kind(), GpuTypeId{0},
               {.name = "kind",
                .gpu = "gpu",
                .speed = {.beta_c = 0.001},
                .power = {.p0 = Watts(100), .p3 = Watts(200)},
                .batch = {.least = 8, .most = 32, .local_most = 16},
                .gpus_most = 2});
    return models;
  }
  Result<std::unique_ptr<Policy>> clocked(const std::string& text, std::unique_ptr<Policy> inner) {
    return make_clocked({.cluster = stage.cluster()}, text, std::move(inner));
  }
  std::string fault(const std::string& text) {
    const auto made = clocked(text, scripted({}));
    return made ? "" : made.error().message;
  }
  /// The decision of what `text` puts around a policy that does `action` at once.
  Decision decide(const std::string& text, const Action& action) {
    return (*clocked(text, scripted({{0s, action}})))->decide(stage.view());
  }

  PolicyStage stage;
};

TEST_F(ClockedTest, puts_nothing_around_a_policy_at_the_highest_clock) {
  auto inner = scripted({});
  const Policy* same = inner.get();
  EXPECT_EQ(clocked("max", std::move(inner))->get(), same);
}

TEST_F(ClockedTest, runs_a_job_at_the_clock_that_was_named) {
  stage.explain = true;
  const Decision decision = decide("800", start_on(0, 0));
  EXPECT_EQ(std::get<Start>(decision.actions.front()).knobs.clock_mhz, 800u);
  ASSERT_EQ(decision.because.size(), 1u);
  EXPECT_EQ(decision.because.front().text, "at 800 MHz: the option clock says so");
}

TEST_F(ClockedTest, finds_the_clock_of_least_energy) {
  // Joules for a second's samples: 283 at 400 MHz, 239 at 600, 253 at 800, 300 at 1000.
  stage.explain = true;
  const Decision decision = decide("zeus", start_on(0, 0));
  EXPECT_EQ(std::get<Start>(decision.actions.front()).knobs.clock_mhz, 600u);
  ASSERT_EQ(decision.because.size(), 1u);
  EXPECT_EQ(decision.because.front().text,
            "at 600 MHz: with this clock it needs least energy on 1 GPU");
}

TEST_F(ClockedTest, weighs_energy_against_time_at_peak_power) {
  // Joules for a second's samples: 283 at 400 MHz, 239 at 600, 253 at 800, 300 at 1000. Their time
  // at the peak of 300 W: 750, 500, 375, 300. Together at eta 0.8: 377, 291, 277, 300.
  const auto clock = [&](const std::string& text) {
    return std::get<Start>(decide(text, start_on(0, 0)).actions.front()).knobs.clock_mhz;
  };
  EXPECT_EQ(clock("zeus-0"), 1000u);
  EXPECT_EQ(clock("zeus-0.5"), 1000u) << "517, 369, 314, 300";
  EXPECT_EQ(clock("zeus-0.8"), 800u);
  EXPECT_EQ(clock("zeus-0.9"), 600u) << "330, 264.8, 265.2, 300";
  EXPECT_EQ(clock("zeus-1"), 600u);
  EXPECT_EQ(clock("zeus"), 600u);
  stage.explain = true;
  const Decision decision = decide("zeus-0.8", start_on(0, 0));
  ASSERT_EQ(decision.because.size(), 1u);
  EXPECT_EQ(decision.because.front().text,
            "at 800 MHz: with this clock energy and time together cost least on 1 GPU, eta 0.8");
}

TEST_F(ClockedTest, sets_the_clock_of_a_job_that_is_resized) {
  const Resize resize{.job = {0}, .where = {{GpuId{0}, 1}, {GpuId{1}, 1}}, .knobs = {}};
  const Decision decision = decide("800", resize);
  EXPECT_EQ(std::get<Resize>(decision.actions.front()).knobs.clock_mhz, 800u);
}

TEST_F(ClockedTest, leaves_jobs_without_models_alone) {
  stage.explain = true;
  const Decision decision = decide("800", start_on(1, 0));
  EXPECT_EQ(std::get<Start>(decision.actions.front()).knobs, Knobs{});
  EXPECT_TRUE(decision.because.empty());
}

TEST_F(ClockedTest, leaves_a_clock_alone_that_the_policy_has_chosen) {
  Start chosen = start_on(0, 0);
  chosen.knobs.clock_mhz = 400;
  const Decision decision = decide("800", chosen);
  EXPECT_EQ(std::get<Start>(decision.actions.front()).knobs.clock_mhz, 400u);
}

TEST_F(ClockedTest, refuses_what_is_no_clock) {
  for (const char* text : {"fast", "", "800 MHz", "-800", "8e2", "Zeus", "zeus-", "zeus-1.1",
                           "zeus--0.5", "zeus-nan", "zeus-half", "zeus-0.5 "})
    EXPECT_EQ(
        fault(text),
        std::string("clock: '") + text +
            "' is not possible; max, zeus (least energy of each job by itself), zeus-ETA such "
            "as zeus-0.5 (least ETA * energy + (1 - ETA) * peak power * time of each job, ETA "
            "from 0 to 1), or a clock in MHz");
}

TEST_F(ClockedTest, refuses_a_clock_that_some_gpu_does_not_have) {
  for (const char* text : {"700", "1200", "0"})
    EXPECT_EQ(fault(text), std::string("clock: ") + text +
                               " MHz is not possible; gpu has 200 to 1000 MHz in steps of 200");
  Cluster bare = stage.cluster();
  bare.types.push_back({.name = "cpu-core"});
  const auto made = make_clocked({.cluster = bare}, "800", scripted({}));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "clock: 800 MHz is not possible; cpu-core has no clocks that can be set");
}

/// Two nodes of one GPU that are put to sleep after ten idle minutes.
class SleepIdleTest : public testing::Test {
 protected:
  SleepIdleTest() {
    for (std::uint32_t i = 0; i < 2; ++i) stage.submit({.id = {i}});
  }
  static Cluster cluster() {
    Cluster cluster;
    cluster.types.resize(1);
    add_site(cluster, "here", {{.count = 2, .gpus = 1}});
    return cluster;
  }
  void around(std::unique_ptr<Policy> inner) {
    policy = make_sleep_idle({.cluster = stage.cluster(), .start = stage.start()}, 10min,
                             std::move(inner));
  }
  /// The nodes that are told to sleep at a time after the start.
  std::vector<std::uint32_t> slept(Duration after) {
    const Decision decision = stage.decide_at(stage.start() + after, *policy);
    asks_after = decision.ask_again;
    std::vector<std::uint32_t> nodes;
    for (const Action& action : decision.actions)
      if (const auto* sleep = std::get_if<Sleep>(&action)) nodes.push_back(sleep->node.index);
    return nodes;
  }
  void happen_at(Duration after, const Event& event) {
    stage.wait_until(stage.start() + after);
    stage.happen(event);
  }

  using Nodes = std::vector<std::uint32_t>;
  PolicyStage stage{cluster()};
  std::unique_ptr<Policy> policy;
  std::optional<Time> asks_after{};  ///< when the policy wants to be asked again
};

TEST_F(SleepIdleTest, puts_nodes_to_sleep_that_were_never_used_once) {
  around(scripted({}));
  EXPECT_EQ(slept(0s), Nodes{});
  EXPECT_EQ(asks_after, stage.start() + 10min);
  EXPECT_EQ(slept(9min), Nodes{});
  EXPECT_EQ(slept(10min), (Nodes{0, 1}));
  EXPECT_EQ(asks_after, std::nullopt);
  EXPECT_EQ(slept(30min), Nodes{});
}

TEST_F(SleepIdleTest, counts_from_the_end_of_the_last_job) {
  around(scripted({{2min, start_on(0, 0)}}));
  EXPECT_EQ(slept(2min), Nodes{});
  happen_at(8min, JobFinished{{0}});
  EXPECT_EQ(slept(8min), Nodes{});
  EXPECT_EQ(slept(10min), Nodes{1}) << "node 0 was used meanwhile";
  EXPECT_EQ(asks_after, stage.start() + 18min);
  EXPECT_EQ(slept(18min), Nodes{0});
}

TEST_F(SleepIdleTest, leaves_a_node_alone_on_which_a_job_runs) {
  around(scripted({{2min, start_on(0, 0)}}));
  EXPECT_EQ(slept(2min), Nodes{});
  EXPECT_EQ(slept(10min), Nodes{1});
  EXPECT_EQ(slept(60min), Nodes{});
}

TEST_F(SleepIdleTest, leaves_a_node_awake_on_which_a_job_starts_at_that_moment) {
  around(scripted({{10min, start_on(0, 1)}}));
  EXPECT_EQ(slept(10min), Nodes{0});
}

TEST_F(SleepIdleTest, does_not_repeat_what_the_policy_says_itself) {
  around(scripted({{10min, Sleep{NodeId{1}}}}));
  EXPECT_EQ(slept(10min), (Nodes{1, 0})) << "its own first, then the other; none twice";
}

TEST_F(SleepIdleTest, asks_no_later_than_the_policy_wants) {
  around(scripted({{4min, start_on(0, 0)}, {20min, start_on(1, 1)}}));
  EXPECT_EQ(slept(0s), Nodes{});
  EXPECT_EQ(asks_after, stage.start() + 4min);
  EXPECT_EQ(slept(4min), Nodes{});
  EXPECT_EQ(asks_after, stage.start() + 10min);
}

TEST_F(SleepIdleTest, counts_from_when_the_policy_takes_a_job_away) {
  around(scripted({{2min, start_on(0, 0)}, {5min, Preempt{JobId{0}}}}));
  EXPECT_EQ(slept(2min), Nodes{});
  EXPECT_EQ(slept(5min), Nodes{});
  EXPECT_EQ(slept(10min), Nodes{1});
  EXPECT_EQ(asks_after, stage.start() + 15min);
  EXPECT_EQ(slept(15min), Nodes{0});
}

TEST_F(SleepIdleTest, counts_the_place_that_a_job_leaves_when_it_moves) {
  around(scripted({{2min, start_on(0, 0)}, {5min, Migrate{JobId{0}, {{GpuId{1}, 1}}}}}));
  EXPECT_EQ(slept(2min), Nodes{});
  EXPECT_EQ(slept(5min), Nodes{});
  EXPECT_EQ(slept(10min), Nodes{});
  EXPECT_EQ(slept(15min), Nodes{0});
}

TEST_F(SleepIdleTest, leaves_a_failed_node_alone_and_counts_from_its_repair) {
  around(scripted({}));
  happen_at(5min, NodeFailed{NodeId{0}});
  EXPECT_EQ(slept(5min), Nodes{});
  EXPECT_EQ(slept(10min), Nodes{1});
  happen_at(12min, NodeRepaired{NodeId{0}});
  EXPECT_EQ(slept(12min), Nodes{});
  EXPECT_EQ(slept(21min), Nodes{});
  EXPECT_EQ(slept(22min), Nodes{0});
}

TEST_F(SleepIdleTest, counts_again_from_when_a_node_is_woken) {
  around(scripted({{12min, Wake{NodeId{1}}}}));
  EXPECT_EQ(slept(10min), (Nodes{0, 1}));
  EXPECT_EQ(slept(12min), Nodes{});
  EXPECT_EQ(asks_after, stage.start() + 22min);
  EXPECT_EQ(slept(22min), Nodes{1});
}

}  // namespace
}  // namespace penstock
