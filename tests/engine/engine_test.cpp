#include "engine/engine.h"

#include <gtest/gtest.h>

#include <deque>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// A world that tells what it was given and notes what it is asked.
class ScriptedBackend final : public Backend {
 public:
  bool wait(std::optional<Time> until, Batch& batch) override {
    asked.push_back(until);
    if (script.empty()) return false;
    batch = std::move(script.front());
    script.pop_front();
    return true;
  }
  void execute(const Action& action, const State& /*state*/) override { done.push_back(action); }
  Pace pace(const JobState& /*job*/) const override { return {Speed(1), Watts(100)}; }

  std::deque<Batch> script{};
  std::vector<std::optional<Time>> asked{};
  std::vector<Action> done{};
};

/// Decides what it was given, in turn, and notes what it sees.
class ScriptedPolicy final : public Policy {
 public:
  Decision decide(const View& view) override {
    happened.push_back(view.happened.size());
    if (view.state.find(JobId{0}) != nullptr) phases.push_back(view.state.job(JobId{0}).phase);
    Decision decision = std::move(script.front());
    script.pop_front();
    return decision;
  }
  std::deque<Decision> script{};
  std::vector<std::size_t> happened{};
  std::vector<Phase> phases{};
};

class Records final : public Observer {
 public:
  void before(const Batch& /*batch*/, const State& /*state*/, const Ledger& /*ledger*/) override {}
  void decided(Time /*now*/, const Decision& /*decision*/, const State& /*state*/) override {}
  void ended(const JobRecord& record) override {
    held.push_back(record.held);
    energy.push_back(record.bill.energy);
  }
  std::vector<Duration> held{};
  std::vector<Joules> energy{};
};

class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    cluster.types.resize(1);
    add_site(cluster, "here", {{.count = 1, .gpus = 2}});
    Batch submission{.now = t0, .events = {JobSubmitted{JobId{0}}}};
    submission.submitted.push_back({.id = JobId{0}, .submitted = t0});
    backend.script = {submission, {.now = t0 + 10s, .events = {JobFinished{JobId{0}}}}};
  }
  RunResult go() {
    return run(backend, policy,
               {.cluster = cluster, .signals = signals, .forecasts = forecasts, .start = t0},
               records);
  }

  Time t0{1h};
  Cluster cluster;
  std::vector<SiteSignals> signals = std::vector<SiteSignals>(1);
  std::vector<SiteForecasts> forecasts = std::vector<SiteForecasts>(1);
  ScriptedBackend backend;
  ScriptedPolicy policy;
  Records records;
  Action start = Start{JobId{0}, {{GpuId{1}, 1}}};
};

TEST_F(EngineTest, carries_words_between_world_and_policy) {
  policy.script = {{.actions = {start}, .ask_again = t0 + 5s}, {}};
  const RunResult result = go();
  ASSERT_EQ(backend.done.size(), 1u);
  EXPECT_EQ(std::get<Start>(backend.done[0]).job, JobId{0});
  EXPECT_EQ(backend.asked, (std::vector<std::optional<Time>>{std::nullopt, t0 + 5s, std::nullopt}));
  EXPECT_EQ(policy.happened, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(policy.phases, (std::vector<Phase>{Phase::queued, Phase::ended}));
  EXPECT_EQ(result.decisions, 2u);
  EXPECT_EQ(result.events, 2u);
}

TEST_F(EngineTest, reports_a_job_once_with_its_bill) {
  policy.script = {{.actions = {start}}, {}};
  const RunResult result = go();
  EXPECT_EQ(records.held, (std::vector<Duration>{10s}));
  EXPECT_EQ(records.energy, (std::vector<Joules>{Joules(1000)}));
  EXPECT_EQ(result.submitted, 1u);
  EXPECT_EQ(result.ended, 1u);
  EXPECT_EQ(result.first_submission, t0);
  EXPECT_EQ(result.last_finish, t0 + 10s);
  EXPECT_EQ(result.sites[0].gpu_time, Duration(10s));
}

using EngineDeathTest = EngineTest;
TEST_F(EngineDeathTest, stops_at_an_illegal_action) {
  policy.script = {{.actions = {start, start}}, {}};
  EXPECT_DEATH(go(), "illegal: job 0 is not in the queue");
}

}  // namespace
}  // namespace penstock
