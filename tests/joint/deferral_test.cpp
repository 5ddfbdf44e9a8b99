#include "joint/deferral.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace penstock {
namespace {

/// Hours of power that costs so many times what it costs now.
std::vector<PriceStep> hours(const std::vector<double>& prices) {
  std::vector<PriceStep> steps;
  for (const double price : prices) {
    const double begin = steps.empty() ? 0 : steps.back().end;
    steps.push_back({begin, begin + 3600, {price}});
  }
  return steps;
}

/// One hour of work on one GPU that draws 1 an hour at what power costs now.
DeferrableJob hour_of_work(double left) {
  return {.left = left, .ways = {{.slices = 1, .seconds = 3600, .power = 1}}};
}

constexpr double kHour = 3600;
const DeferralSettings kRoomy{.slices = {100}, .largest = {10}};

Deferral alone(const DeferrableJob& job, const std::vector<double>& prices) {
  return defer_jobs({job}, hours(prices), kRoomy).front();
}

TEST(Deferral, waits_for_the_cheapest_hour_before_the_deadline) {
  const Deferral early = alone(hour_of_work(2 * kHour), {1, 0.5, 0.2});
  EXPECT_TRUE(early.waits);
  EXPECT_EQ(early.again, kHour);
  EXPECT_DOUBLE_EQ(*early.worth, 0.5);
  const Deferral late = alone(hour_of_work(3 * kHour), {1, 0.5, 0.2});
  EXPECT_EQ(late.again, 2 * kHour);
  EXPECT_DOUBLE_EQ(*late.worth, 0.2);
}

TEST(Deferral, runs_at_once_where_nothing_cheaper_comes_in_time) {
  EXPECT_FALSE(alone(hour_of_work(2 * kHour), {1, 1, 0.2}).waits);
  EXPECT_FALSE(alone(hour_of_work(2 * kHour), {1, 0.98, 0.2}).waits) << "2 % are not waited for";
  const Deferral hurried = alone(hour_of_work(0.9 * kHour), {1, 0.1});
  EXPECT_FALSE(hurried.waits);
  EXPECT_FALSE(hurried.worth) << "it is late at any price: its worth is found elsewhere";
}

TEST(Deferral, splits_work_over_the_cheapest_hours) {
  DeferrableJob job = hour_of_work(5 * kHour);
  job.ways[0].seconds = 2 * kHour;
  const Deferral found = alone(job, {0.4, 1, 0.3, 1, 1});
  EXPECT_FALSE(found.waits) << "the first and the third hour are cheapest";
  EXPECT_EQ(found.again, kHour) << "it pauses then";
  EXPECT_DOUBLE_EQ(*found.worth, 2 * 0.4);
}

TEST(Deferral, uses_more_gpus_in_cheap_hours_where_that_is_cheaper_than_a_dear_hour) {
  // Two hours of work; on two GPUs it takes one and costs a tenth more.
  const DeferrableJob job{.left = 3 * kHour,
                          .ways = {{.slices = 1, .seconds = 2 * kHour, .power = 1},
                                   {.slices = 2, .seconds = kHour, .power = 2.2}}};
  const Deferral found = alone(job, {1, 0.2, 1});
  EXPECT_TRUE(found.waits);
  EXPECT_EQ(found.again, kHour);
  // The second half costs 2.2 · 0.2 − 1 · 0.2 for half of the work.
  EXPECT_NEAR(*found.worth, 2 * (2.2 - 1) * 0.2, 1e-12);
}

TEST(Deferral, pauses_a_running_job_only_for_what_is_worth_two_restarts_and_more) {
  DeferrableJob job = hour_of_work(3 * kHour);
  job.restart = 180;  // two are a tenth of the hour
  EXPECT_FALSE(alone(job, {1, 0.83}).waits) << "3 + 5 + 10 %";
  EXPECT_TRUE(alone(job, {1, 0.81}).waits);
}

TEST(Deferral, rent_is_no_reason_to_wait) {
  DeferrableJob job = hour_of_work(2 * kHour);
  job.ways[0].rent = 99;
  EXPECT_FALSE(alone(job, {1, 0.1}).waits) << "it saves less than a hundredth";
}

TEST(Deferral, gives_a_cheap_hour_to_who_has_less_slack_and_no_more_than_there_is_room) {
  const std::vector<DeferrableJob> jobs(3, hour_of_work(2 * kHour));
  std::vector<DeferrableJob> some = jobs;
  some[2].left = 1.9 * kHour;
  DeferralSettings settings{.slices = {2}, .largest = {2}};
  const auto found = defer_jobs(some, hours({1, 0.2}), settings);
  EXPECT_FALSE(found[1].waits) << "of two GPUs 1.9 are counted on";
  EXPECT_TRUE(found[0].waits);
  EXPECT_FALSE(found[2].waits && found[0].waits && found[1].waits);
  settings.arriving = 0.9;
  for (const Deferral& each : defer_jobs(some, hours({1, 0.2}), settings))
    EXPECT_FALSE(each.waits) << "jobs to come will need that hour";
}

TEST(Deferral, a_job_that_cannot_be_stopped_waits_for_hours_in_a_row) {
  DeferrableJob job = hour_of_work(6 * kHour);
  job.in_one_piece = true;
  job.ways[0].seconds = 2 * kHour;
  const Deferral found = alone(job, {1, 0.1, 1, 0.4, 0.5, 1});
  EXPECT_TRUE(found.waits);
  EXPECT_EQ(found.again, 3 * kHour) << "0.9 for both hours, against 1.1";
  EXPECT_DOUBLE_EQ(*found.worth, 0.9);
  job.left = 2.5 * kHour;
  EXPECT_FALSE(alone(job, {1, 0.1, 1, 0.4}).waits) << "it would be late";
}

/// Hours of a job that does, hour by hour, what is said.
class Follower {
 public:
  Follower(const DeferrableJob& job, const std::vector<double>& prices)
      : job_(job), prices_(prices) {}

  void run() {
    for (std::size_t hour = 0; hour < prices_.size() && !is_done(); ++hour) {
      const DeferrableJob rest = left_at(hour);
      const Deferral found = alone(rest, ahead_of(hour));
      if (!found.waits) work(hour, chosen_way(rest, found));
    }
  }

  bool is_done() const { return done_ >= 1 - 1e-9; }
  double end() const { return end_; }
  double paid() const { return paid_; }

 private:
  /// In what power costs in that hour.
  std::vector<double> ahead_of(std::size_t hour) const {
    std::vector<double> ahead(prices_.begin() + std::ptrdiff_t(hour), prices_.end());
    for (double& price : ahead) price /= prices_[hour];
    return ahead;
  }

  DeferrableJob left_at(std::size_t hour) const {
    DeferrableJob rest = job_;
    rest.left -= double(hour) * kHour;
    for (DeferrableWay& way : rest.ways) {
      way.seconds *= 1 - done_;
      way.power *= prices_[hour];
    }
    return rest;
  }

  /// What pays at this worth, of equals the quicker; without one, the quickest way.
  static DeferrableWay chosen_way(const DeferrableJob& rest, const Deferral& found) {
    const auto gain = [&](const DeferrableWay& way) {
      if (!found.worth) return 1 / way.seconds;
      return *found.worth / way.seconds - 0.97 * way.power / kHour;
    };
    DeferrableWay chosen = rest.ways[0];
    if (gain(rest.ways[1]) >= gain(chosen) - 1e-9) chosen = rest.ways[1];
    return chosen;
  }

  void work(std::size_t hour, const DeferrableWay& way) {
    const double used = std::min(kHour, way.seconds);
    paid_ += way.power * used / kHour;
    done_ += (1 - done_) * used / way.seconds;
    end_ = double(hour) * kHour + used;
  }

  const DeferrableJob& job_;
  const std::vector<double>& prices_;
  double done_ = 0;
  double paid_ = 0;
  double end_ = 0;
};

double cost_at_once(double seconds, const std::vector<double>& prices) {
  double cost = 0;
  for (std::size_t hour = 0; double(hour) * kHour < seconds; ++hour)
    cost += prices[hour] * std::min(1.0, seconds / kHour - double(hour));
  return cost;
}

TEST(Deferral, ends_in_time_and_costs_no_more_in_random_worlds) {
  Rng rng(5);
  for (int world = 0; world < 300; ++world) {
    std::vector<double> prices(30, 1);
    for (std::size_t h = 1; h < prices.size(); ++h) prices[h] = 0.1 + 1.9 * rng.uniform();
    const double seconds = (0.5 + 3.5 * rng.uniform()) * kHour;
    const DeferrableJob job{
        .left = (2 + 28 * rng.uniform()) * kHour,
        .ways = {{.slices = 1, .seconds = seconds, .power = 1},
                 {.slices = 2, .seconds = seconds * (0.5 + 0.4 * rng.uniform()), .power = 2}}};
    if (job.ways[1].seconds > job.left) continue;
    Follower follower(job, prices);
    follower.run();
    EXPECT_TRUE(follower.is_done()) << world;
    EXPECT_LE(follower.end(), job.left + 1) << world;
    if (job.left > 10 * kHour) {
      EXPECT_LE(follower.paid(), 1.05 * cost_at_once(seconds, prices)) << world;
    }
  }
}

}  // namespace
}  // namespace penstock
