// What a site tells of jobs that are not as far, or do not draw, as the scheduler believes.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/site_transcript.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

/// A job of a kind that has 1000 to do, and does 10 a second at 2 x 240 W as models have it.
/// Started at 1.0, it runs since 1.3; Slurm tells whole seconds, so 1.5 is taken for it.
class MeasuredSite : public testing::Test {
 protected:
  void SetUp() override {
    for (Profile& profile : transcript.world.catalogue)
      profile.speed = {.alpha_c = profile.batch_usual / 10, .gamma = 1};
    transcript.world.restart();
    transcript.held(
        {.comment = "penstock: profile=resnet gpus=1-4 work=1000", .gpus = 2, .length = 60s});
    transcript.pass(1);
    transcript.act(Start{transcript.id("1"), gpus(0, 2)});
  }
  void says(double done) {
    transcript.site().on_progress("1", {.when = transcript.slurm().now(), .done = done});
  }
  /// Both GPUs have used so much in all.
  void meters(double joules) {
    nlohmann::json body{{"gpus", nlohmann::json::array()}};
    for (const unsigned index : {0u, 1u})
      body["gpus"].push_back({{"index", index}, {"power_w", 150}, {"energy_j", joules}});
    auto report = Agents::read(body, transcript.slurm().now());
    ASSERT_TRUE(report);
    transcript.world.agents.take("n0", *report);
  }
  /// Of 41 that it has done when it is stopped, 40 are saved.
  void run_to_a_checkpoint() {
    transcript.site().set_last_progress([](const TrackedJob&, Time now) {
      return std::optional(JobProgress{.when = now, .done = 41, .saved = 40});
    });
    transcript.pass(6);
    reported();
  }
  /// What was told since this was last asked.
  std::string reported() { return std::exchange(transcript.text, "\n"); }

  SiteTranscript transcript{2, [](SiteOptions& options) { options.restart = 2s; }};
};

TEST_F(MeasuredSite, a_start_that_came_late_is_told_with_whatever_else_is) {
  transcript.pass(3);
  reported();
  transcript.held({.gpus = 1});
  transcript.pass(6);
  EXPECT_EQ(reported(), R"(
5.2 job 0 was measured: 0 done at 1.5 drew 434.762 W
5.2 job 1 is submitted
)");  // for 0.5 of 4.2 s 2 x 50 W, since then as models have it
}

TEST_F(MeasuredSite, as_long_as_a_job_is_where_it_should_be_nothing_is_told) {
  for (int second = 0; second < 9; ++second) {
    transcript.pass(1);
    says(10 * (seconds(transcript.slurm().now() - kNoon) - 1.5));
  }
  EXPECT_EQ(reported().find("measured"), std::string::npos);
}

TEST_F(MeasuredSite, a_job_that_lags_far_behind_is_told_at_once) {
  transcript.pass(2);
  transcript.held({.gpus = 1});
  transcript.pass(4);
  reported();
  for (const double done : {1.0, 2.0, 3.0}) {
    says(done);
    transcript.pass(4);
  }
  EXPECT_EQ(reported(), R"(
15.0 job 0 was measured: 3 done at 15.0
)");
}

TEST_F(MeasuredSite, what_agents_meter_is_billed) {
  double joules = 1000;
  const auto work = [&](int reports) {
    for (int i = 0; i < reports; ++i) {
      transcript.pass(2);
      meters(joules += 300);
    }
  };
  work(6);
  reported();
  transcript.held({.gpus = 1});
  work(26);
  transcript.held({.gpus = 1});
  work(6);
  EXPECT_EQ(reported(), R"(
15.4 job 0 was measured: 0 done at 1.5 drew 293.056 W
15.4 job 1 is submitted
66.3 job 0 was measured: 1000 done at 66.3 drew 300 W
66.3 job 0 finishes
66.3 job 2 is submitted
)");
}

TEST_F(MeasuredSite, what_no_gpu_of_the_type_can_draw_is_not_believed) {
  transcript.pass(2);
  meters(1000);
  transcript.held({.gpus = 1});
  transcript.pass(8);
  reported();
  transcript.pass(8);
  meters(1000 + 16 * 900);
  transcript.held({.gpus = 1});
  transcript.pass(6);
  EXPECT_EQ(reported(), R"(
20.5 job 2 is submitted
)");
}

TEST_F(MeasuredSite, a_stopped_job_has_done_what_its_checkpoint_has) {
  run_to_a_checkpoint();
  transcript.act(Preempt{transcript.id("1")});
  transcript.pass(3);
  transcript.held({.gpus = 1});
  transcript.pass(6);
  EXPECT_EQ(reported(), R"(
7.0 -> requeue 1 {"hold":true}
7.3 = 2 confirmed: it stopped
10.3 job 0 was measured: 40 done at 10.3
10.3 job 1 is submitted
)");
}

TEST_F(MeasuredSite, a_resized_job_goes_on_from_its_checkpoint_when_it_really_runs) {
  run_to_a_checkpoint();
  transcript.act(Resize{transcript.id("1"), gpus(0, 4), {}});
  transcript.pass(8);
  transcript.held({.gpus = 1});
  transcript.pass(6);
  // 0.3 s at 2 x 240 W until it has stopped, 2 s of 4 idle GPUs, 6.1 s at 4 x 240 W.
  EXPECT_EQ(reported(), R"(
7.0 -> requeue 1 {"hold":true}
7.3 = 2 confirmed: it stopped
8.8 -> update 1 {"gpus_per_node":4,"hold":false,"node_count":1,"nodes":["n0"],"start_now":true}
9.3 = 3 confirmed: it runs
15.4 job 0 was measured: 40 done at 11.3 drew 761.905 W
15.4 job 1 is submitted
)");
}

TEST(SlurmSiteBills, a_job_that_was_found_late_says_when_its_bill_began) {
  SiteTranscript transcript;
  transcript.world.permissions = {.acts = false, .holds = false};
  transcript.pass(1);
  transcript.slurm().add_job({.gpus = 2, .length = 6s});
  transcript.pass(12);
  const auto ended = transcript.site().history().take_ended(JobId{0});
  ASSERT_TRUE(ended);
  ASSERT_EQ(ended->runs_seen.size(), 1u);
  const LiveRun& run = ended->runs_seen.front();
  ASSERT_TRUE(run.watched);
  EXPECT_TRUE(run.watched->found);
  EXPECT_GT(run.watched->from, run.started + 1s) << "it was found by a later poll";
  EXPECT_GE(*run.watched->until, *run.ended);
  EXPECT_EQ(ended->usual_draw, Watts(400));
}

TEST(SlurmSiteBills, a_job_that_was_never_seen_before_its_end_had_no_bill) {
  SiteTranscript transcript;
  std::vector<SiteSignals> signals(1);
  signals[0].price = Signal<Price>::constant(Price(0.36));
  transcript.world.site.emplace(
      transcript.world.options, transcript.world.connection,
      SlurmSite::Context{transcript.world.cluster, *transcript.world.beliefs,
                         transcript.world.numbers, transcript.world.permissions,
                         transcript.world.pool, &transcript.world.agents, signals});
  transcript.world.permissions = {.acts = false, .holds = false};
  transcript.pass(1);
  transcript.slurm().add_job({.gpus = 2, .length = 2s});
  transcript.pass(10);
  const auto ended = std::ranges::find(transcript.world.notes, "ended", &JournalEntry::what);
  ASSERT_NE(ended, transcript.world.notes.end());
  const auto detail = nlohmann::json::parse(ended->detail);
  EXPECT_DOUBLE_EQ(detail["energy_j"].get<double>(), 2 * 400 * 2.0) << "two GPUs for 2 s";
  EXPECT_GT(detail["cost"].get<double>(), 0);
}

}  // namespace
}  // namespace penstock
