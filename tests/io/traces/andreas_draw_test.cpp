#include "io/traces/andreas_draw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace penstock {
namespace {

using namespace std::chrono_literals;
using enum AndreasArrivals;

/// An epoch of `a` takes 10 s on one fast GPU, 6 s on two and 25 s on a slow one; of `b` 17 s.
AndreasSpec spec(AndreasArrivals arrivals) {
  return {.table = {.file = "t",
                    .kinds = {{.name = "a",
                               .times = {{"fast", 1, 10}, {"fast", 2, 6}, {"slow", 1, 25}}},
                              {.name = "b", .times = {{"fast", 1, 17}}}},
                    .jobs = {{"J1", 0, 100}, {"J2", 1, 100}}},
          .arrivals = arrivals,
          .weights = {1, 2}};
}

/// Two fast nodes of four GPUs and two slow ones of two.
Cluster four_nodes() {
  Cluster cluster;
  cluster.types = {{.name = "FAST"}, {.name = "slow"}};
  add_site(cluster, "here",
           {{.count = 2, .gpus = 4, .type = {0}}, {.count = 2, .gpus = 2, .type = {1}}});
  return cluster;
}

std::vector<TracedJob> drawn_jobs(const AndreasSpec& by, const TraceOptions& options = {}) {
  auto trace = draw_andreas(by, four_nodes(), options);
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? std::move(trace->jobs) : std::vector<TracedJob>{};
}

double seconds_between(const TracedJob& a, const TracedJob& b) {
  return seconds(b.job.submitted - a.job.submitted);
}

double mean_gap(const std::vector<TracedJob>& jobs) {
  return seconds_between(jobs.front(), jobs.back()) / static_cast<double>(jobs.size() - 1);
}

TEST(AndreasDraw, has_ten_jobs_for_each_node_and_one_at_the_beginning) {
  const auto jobs = drawn_jobs(spec(high), {.start = Time(1h)});
  ASSERT_EQ(jobs.size(), 41u);
  EXPECT_EQ(jobs[0].job.submitted, Time(1h));
  EXPECT_EQ(drawn_jobs(spec(high), {.limit = 5}).size(), 5u);
}

TEST(AndreasDraw, asks_for_one_gpu_and_the_time_on_the_first_type) {
  std::set<std::string> kinds;
  for (const TracedJob& traced : drawn_jobs(spec(high))) {
    kinds.insert(traced.job.kind);
    EXPECT_EQ(traced.job.gpus, 1u);
    EXPECT_EQ(traced.actual, traced.job.kind == "a" ? 1000s : 1700s);
    EXPECT_EQ(traced.job.requested, traced.actual);
    EXPECT_EQ(traced.gpu_spec, traced.job.kind == "a" ? "FAST|slow" : "FAST");
  }
  EXPECT_EQ(kinds.size(), 2u);
}

TEST(AndreasDraw, names_each_job_by_the_table_and_a_number_of_its_own) {
  const auto jobs = drawn_jobs(spec(high));
  EXPECT_EQ(jobs[7].job.name, jobs[7].job.kind == "a" ? "J1-7" : "J2-7");
}

TEST(AndreasDraw, at_the_high_rate_a_gap_is_a_part_of_the_time_of_the_job_after_it) {
  // 4 nodes with up to 4 GPUs: 1700 s / (1.7 x 16) and 1000 s / (1.7 x 16).
  EXPECT_NEAR(regular_gap(spec(high), four_nodes(), 1700, 0), 62.5, 1e-9);
  const auto jobs = drawn_jobs(spec(high));
  for (std::size_t i = 1; i < jobs.size(); ++i)
    EXPECT_NEAR(seconds_between(jobs[i - 1], jobs[i]), jobs[i].job.kind == "b" ? 62.5 : 36.7647,
                0.002);
}

TEST(AndreasDraw, low_gaps_are_four_times_as_long_and_mixed_ones_change_every_ten_jobs) {
  EXPECT_NEAR(regular_gap(spec(low), four_nodes(), 1700, 0), 250, 1e-9);
  EXPECT_NEAR(regular_gap(spec(mixed), four_nodes(), 1700, 9), 62.5, 1e-9);
  EXPECT_NEAR(regular_gap(spec(mixed), four_nodes(), 1700, 10), 250, 1e-9);
  EXPECT_NEAR(regular_gap(spec(mixed), four_nodes(), 1700, 20), 62.5, 1e-9);
}

TEST(AndreasDraw, the_cloud_has_rates_of_its_own) {
  AndreasSpec cloud = spec(high);
  cloud.rates = AndreasRates::cloud;
  EXPECT_NEAR(regular_gap(cloud, four_nodes(), 1300, 0), 3 * 1000 / 16.0, 1e-9);
  cloud.arrivals = low;
  EXPECT_NEAR(regular_gap(cloud, four_nodes(), 1300, 0), 12 * 1000 / 16.0, 1e-9);
}

TEST(AndreasDraw, random_arrivals_have_the_mean_gap_that_the_nodes_share) {
  for (const AndreasArrivals arrivals : {exponential, poisson}) {
    AndreasSpec by = spec(arrivals);
    by.jobs_per_node = 10'000;
    by.mean = 400s;
    EXPECT_NEAR(mean_gap(drawn_jobs(by)), 100, 2);
    EXPECT_NEAR(mean_gap(drawn_jobs(by, {.load = 2})), 50, 1);
  }
}

TEST(AndreasDraw, gaps_of_poisson_arrivals_vary_as_much_as_exponential_ones) {
  AndreasSpec by = spec(poisson);
  by.jobs_per_node = 10'000;
  by.mean = 400s;
  const auto jobs = drawn_jobs(by);
  double squares = 0;
  for (std::size_t i = 1; i < jobs.size(); ++i)
    squares += std::pow(seconds_between(jobs[i - 1], jobs[i]) - 100, 2);
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(jobs.size())), 100, 3);
}

TEST(AndreasDraw, server_deadlines_lie_between_the_fastest_way_and_thrice_it_or_the_slowest) {
  double latest_a = 0;
  double latest_b = 0;
  AndreasSpec by = spec(high);
  by.jobs_per_node = 1000;
  for (const TracedJob& traced : drawn_jobs(by)) {
    const double after = seconds(*traced.job.deadline - traced.job.submitted);
    EXPECT_GE(after, traced.job.kind == "a" ? 600 : 1700);
    (traced.job.kind == "a" ? latest_a : latest_b) =
        std::max(traced.job.kind == "a" ? latest_a : latest_b, after);
  }
  EXPECT_NEAR(latest_a, 1800, 5);     // three times 600; the slowest takes 2500
  EXPECT_NEAR(latest_b, 1700, 1e-9);  // there is no slower way
}

TEST(AndreasDraw, cloud_deadlines_do_not_care_about_the_slowest) {
  AndreasSpec by = spec(high);
  by.rates = AndreasRates::cloud;
  by.jobs_per_node = 1000;
  double latest = 0;
  for (const TracedJob& traced : drawn_jobs(by))
    latest = std::max(latest, seconds(*traced.job.deadline - traced.job.submitted));
  EXPECT_NEAR(latest, 3 * 1700, 20);
}

TEST(AndreasDraw, weights_are_uniform_and_priorities_their_fifths) {
  EXPECT_EQ(priority_of(1, {1, 2}), 1);
  EXPECT_EQ(priority_of(1.3, {1, 2}), 2);
  EXPECT_EQ(priority_of(2, {1, 2}), 5);
  EXPECT_EQ(priority_of(7, {7, 7}), 3);
  AndreasSpec by = spec(high);
  by.jobs_per_node = 5000;
  double sum = 0;
  const auto jobs = drawn_jobs(by);
  for (const TracedJob& traced : jobs) {
    EXPECT_EQ(traced.job.priority, priority_of(traced.job.tardiness_weight.value(), {1, 2}));
    sum += traced.job.tardiness_weight.value();
  }
  EXPECT_NEAR(sum / static_cast<double>(jobs.size()), 1.5, 0.01);
}

TEST(AndreasDraw, by_load_a_job_comes_as_often_as_the_load_lets_the_cluster_do_it) {
  // An epoch of `a` takes 10 s of a fast GPU (12 on two) or 25 s of a slow one: eight fast and four
  // slow GPUs do 0.8 + 0.16 of them a second. Of `b`, 17 s of a fast one only.
  const AndreasSpec by = spec(by_load);
  EXPECT_NEAR(busy_time(fit_to_cluster(by.table.kinds[0], four_nodes()), four_nodes()), 1 / 0.96,
              1e-9);
  EXPECT_NEAR(busy_time(fit_to_cluster(by.table.kinds[1], four_nodes()), four_nodes()), 17 / 8.0,
              1e-9);
}

TEST(AndreasDraw, by_load_gaps_are_the_mean_busy_time_by_the_load) {
  AndreasSpec by = spec(by_load);
  by.jobs_per_node = 10'000;
  by.load = 0.8;
  // Both jobs have 100 epochs: (104.2 + 212.5)/2/0.8 = 197.9 s.
  EXPECT_NEAR(mean_gap(drawn_jobs(by)), 197.9, 3);
  by.load = 1.6;
  EXPECT_NEAR(mean_gap(drawn_jobs(by)), 98.96, 1.5);
}

TEST(AndreasDraw, deadlines_may_have_a_slack_in_times_of_the_fastest_way) {
  AndreasSpec by = spec(high);
  by.jobs_per_node = 1000;
  by.deadline_slack = {2, 10};
  double least = 1e9;
  double most = 0;
  for (const TracedJob& traced : drawn_jobs(by)) {
    const double fastest = traced.job.kind == "a" ? 600 : 1700;
    const double slack = seconds(*traced.job.deadline - traced.job.submitted) / fastest;
    least = std::min(least, slack);
    most = std::max(most, slack);
  }
  EXPECT_NEAR(least, 2, 0.02);
  EXPECT_NEAR(most, 10, 0.02);
}

TEST(AndreasDraw, sizes_may_be_log_normal_with_the_stated_mean) {
  AndreasSpec by = spec(high);
  by.jobs_per_node = 10'000;
  by.size_sigma = 0.5;
  double sum = 0;
  double logs = 0;
  const auto jobs = drawn_jobs(by);
  for (const TracedJob& traced : jobs) {
    const double size = seconds(traced.actual) / (traced.job.kind == "a" ? 1000 : 1700);
    sum += size;
    logs += std::log(size);
    EXPECT_GE(seconds(*traced.job.deadline - traced.job.submitted) + 0.01,
              size * (traced.job.kind == "a" ? 600 : 1700));
  }
  EXPECT_NEAR(sum / static_cast<double>(jobs.size()), 1, 0.01);
  EXPECT_NEAR(logs / static_cast<double>(jobs.size()), -0.125, 0.01);  // half a variance
}

TEST(AndreasDraw, draws_the_same_jobs_by_the_same_seed_whatever_the_arrivals) {
  const auto once = drawn_jobs(spec(high), {.seed = 3});
  const auto other = drawn_jobs(spec(exponential), {.seed = 3});
  const auto reseeded = drawn_jobs(spec(high), {.seed = 4});
  bool differs = false;
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].job.kind, other[i].job.kind);
    EXPECT_EQ(once[i].job.tardiness_weight, other[i].job.tardiness_weight);
    EXPECT_EQ(*once[i].job.deadline - once[i].job.submitted,
              *other[i].job.deadline - other[i].job.submitted);
    differs |= once[i].job.kind != reseeded[i].job.kind;
  }
  EXPECT_TRUE(differs);
}

TEST(AndreasDraw, leaves_out_what_no_machine_runs_and_says_so) {
  AndreasSpec by = spec(high);
  by.table.kinds[1].times = {{"unknown", 1, 1}};
  const auto trace = draw_andreas(by, four_nodes(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(
      trace->report.notes,
      std::vector<std::string>{"1 of 2 applications have no time on any machine of the cluster"});
  by.table.kinds[0].times.clear();
  EXPECT_EQ(draw_andreas(by, four_nodes(), {}).error().message,
            "t: has no application that the cluster can run");
}

TEST(AndreasDraw, may_need_fewer_epochs_than_the_user_states) {
  AndreasSpec by = spec(high);
  by.jobs_per_node = 500;
  const std::vector<double> early{0, 1, 0, 0};
  by.families = {{"PY", Survival::certain(1)}, {"PY_b", Survival::spread(early, 1)}};
  by.family = {0, 1};
  const auto fixed = drawn_jobs([&] {
    AndreasSpec plain = spec(high);
    plain.jobs_per_node = 500;
    return plain;
  }());
  const auto jobs = drawn_jobs(by);
  ASSERT_EQ(jobs.size(), fixed.size());
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(jobs[i].job.submitted, fixed[i].job.submitted);
    EXPECT_EQ(jobs[i].job.deadline, fixed[i].job.deadline);
    EXPECT_EQ(jobs[i].job.requested, fixed[i].actual) << "the user states the most";
    const bool uncertain = jobs[i].job.kind == "b";
    EXPECT_EQ(jobs[i].job.epochs, EpochsId{uncertain ? 1u : 0u});
    if (!uncertain) {
      EXPECT_EQ(jobs[i].actual, fixed[i].actual);
      continue;
    }
    const double needed = seconds(jobs[i].actual) / seconds(fixed[i].actual);
    EXPECT_GE(needed, 0.2499);
    EXPECT_LE(needed, 0.5001);
    sum += needed;
    ++count;
  }
  EXPECT_NEAR(sum / count, 0.375, 0.01);
}

}  // namespace
}  // namespace penstock
