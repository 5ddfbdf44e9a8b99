#include "experiment/policy_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "experiment/two_jobs.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// The first variant of two jobs on one GPU; see two_jobs.h.
class RunPolicy : public testing::Test {
 protected:
  RunPolicy() : experiment(load(two_jobs({}))), variant(*experiment.variants.front()) {}

  static Experiment load(const ExperimentSpec& spec) {
    auto loaded = load_experiment(spec);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    return *std::move(loaded);
  }
  PolicyRunRequest request(const std::string& policy) const {
    return {.variant = variant, .policy = {policy}};
  }
  std::string fault(const PolicyRunRequest& asked) const {
    const auto run = run_policy(asked);
    return run ? "" : run.error().message;
  }

  Experiment experiment;
  Variant& variant;
};

/// Remembers who has ended.
class EndWatcher final : public Observer {
 public:
  void before(const Batch& /*batch*/, const State& /*state*/, const Ledger& /*ledger*/) override {}
  void decided(Time /*now*/, const Decision& /*decision*/, const State& /*state*/) override {}
  void ended(const JobRecord& record) override { names += record.job.name + " "; }
  std::string names;
};

TEST_F(RunPolicy, simulates_from_the_first_job_to_the_last) {
  const auto run = run_policy(request("fifo"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->summary.policy, "fifo");
  EXPECT_EQ(run->summary.jobs_submitted, 2);
  EXPECT_EQ(run->summary.jobs_finished, 2);
  EXPECT_EQ(run->summary.makespan_s, 11 * 3600);
  EXPECT_DOUBLE_EQ(*run->summary.energy_kwh, 11 * 0.5);
  EXPECT_DOUBLE_EQ(*run->summary.gpu_utilization, 1);
  ASSERT_EQ(run->summary.sites.size(), 1u);
  EXPECT_EQ(run->summary.sites[0].name, "here");
  EXPECT_EQ(run->summary.sites[0].carbon_kind, "average");
  EXPECT_EQ(run->summary.sites[0].first_gpu, 0u);
}

TEST_F(RunPolicy, records_what_a_sweep_changed_among_the_options) {
  variant.swept = {{"site.pue", "1"}, {"backfill", "none"}};
  PolicyRunRequest asked = request("fifo");
  asked.policy.options = {{"backfill", "easy"}};
  const auto run = run_policy(asked);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->summary.options.at("site.pue"), "1");
  EXPECT_EQ(run->summary.options.at("backfill"), "easy") << "its own come first";
}

TEST_F(RunPolicy, tells_watcher_and_progress_bar_of_every_end) {
  EndWatcher watcher;
  std::atomic<std::uint64_t> ended = 0;
  PolicyRunRequest asked = request("sjf");
  asked.observer = &watcher;
  asked.jobs_ended = &ended;
  ASSERT_TRUE(run_policy(asked));
  EXPECT_EQ(watcher.names, "short long ");
  EXPECT_EQ(ended, 2u);
}

TEST_F(RunPolicy, says_at_which_hour_work_was_done_only_if_asked) {
  EXPECT_TRUE(run_policy(request("fifo"))->summary.sites[0].gpu_hours_by_hour.empty());
  PolicyRunRequest asked = request("fifo");
  asked.by_hour = true;
  const auto run = run_policy(asked);
  ASSERT_TRUE(run);
  std::vector<double> eleven(24, 0);
  std::fill_n(eleven.begin(), 11, 1);  // from midnight on
  EXPECT_EQ(run->summary.sites[0].gpu_hours_by_hour, eleven);
}

TEST_F(RunPolicy, asks_for_reasons_only_if_somebody_reads_them) {
  PolicyRunRequest asked = request("fifo");
  asked.details = {.decisions = true};
  const auto run = run_policy(asked);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->details.decisions.size(), 2u);
  EXPECT_FALSE(run->details.decisions[0].because.empty());
  EXPECT_TRUE(run->details.jobs.empty());
}

TEST_F(RunPolicy, ends_early_with_an_error_if_it_is_stopped) {
  std::stop_source stop;
  PolicyRunRequest asked = request("fifo");
  asked.stop = stop.get_token();
  EXPECT_EQ(fault(asked), "");
  stop.request_stop();
  EXPECT_EQ(fault(asked), "the run was stopped");
}

TEST_F(RunPolicy, refuses_prices_that_would_have_to_be_made_up) {
  variant.scenario.spans = {
      {.where = "a.toml:3: site.price", .file = "prices.csv", .until = Time(11h)}};
  EXPECT_EQ(fault(request("fifo")), "") << "they last as long as the run";
  variant.scenario.spans.front().until = Time(10h);
  EXPECT_EQ(fault(request("fifo")),
            "a.toml:3: site.price: prices.csv ends at 1970-01-01T10:00:00Z, but the run lasts "
            "until 1970-01-01T11:00:00Z; possible: a longer series, after_end = \"hold\" or "
            "after_end = \"repeat\"");
}

TEST_F(RunPolicy, refuses_to_repeat_what_no_journal_tells) {
  EXPECT_EQ(fault(request("recorded")),
            "policy: 'recorded' does again what a journal says was done, so it needs one; "
            "possible: --journal FILE");
}

TEST_F(RunPolicy, refuses_a_policy_that_is_not_there) {
  EXPECT_TRUE(fault(request("fifi")).starts_with("no policy 'fifi'; there are: "));
}

TEST_F(RunPolicy, says_that_its_files_cannot_be_written) {
  PolicyRunRequest asked = request("fifo");
  asked.dir = "/nowhere/at/all";
  EXPECT_NE(fault(asked).find("/nowhere/at/all"), std::string::npos) << fault(asked);
}

}  // namespace
}  // namespace penstock
