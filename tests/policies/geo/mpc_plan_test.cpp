#include "policies/geo/mpc_plan.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

constexpr Time kStart{};

/// Two sites of one GPU each, by the hour; GPUs work at 1 kW and idle at nothing. Only prices
/// count.
class TwoSites : public testing::Test {
 protected:
  TwoSites() {
    cluster_.types = {{.name = "plain", .idle = Watts(0), .peak = Watts(1000)}};
    for (const char* name : {"a", "b"})
      add_site(cluster_, name, {{.count = 1, .gpus = 1, .type = {}}});
  }

  static SiteSignals priced(double first, double then) {
    SiteSignals site;
    site.price =
        Signal<Price>({{kStart, Price(first)}, {kStart + std::chrono::hours(1), Price(then)}});
    return site;
  }

  /// Prices of the two sites in the first hour and after it.
  void refresh(const SiteSignals& a, const SiteSignals& b) {
    signals_ = {a, b};
    const std::vector<SiteForecasts> known(2);
    const Outlook outlook(signals_, known, kStart);
    const RouterView view{
        .now = kStart, .sites = news_, .state = state_, .models = models_, .outlook = outlook};
    tariff_.refresh(view, steps_);
    room_.refresh(view, steps_, {});
  }

  static std::vector<MpcDemand> one_hour(double latest) {
    return {{.site = {0}, .run = 1, .latest = latest, .kilowatts = 1, .gpus = 1},
            {.site = {1}, .run = 1, .latest = latest, .kilowatts = 1, .gpus = 1}};
  }

  std::vector<MpcRate> worth_of(int jobs, double latest) {
    MpcGroup group;
    for (int i = 0; i < jobs; ++i) add_to(group, one_hour(latest));
    return scarcity({&group, 1}, tariff_, room_, 100);
  }

  MpcChoice choice(const std::vector<MpcDemand>& demands,
                   const std::vector<MpcRate>& worth = {}) const {
    return choose(demands, {.tariff = tariff_,
                            .room = room_,
                            .worth = worth,
                            .free_now = free_now_,
                            .now = 0,
                            .horizon = 2});
  }

  Cluster cluster_;
  State state_{cluster_, {}, kStart};
  Models models_;
  std::vector<SiteSignals> signals_;
  std::vector<SiteNews> news_{{.gpus = 1, .free = 1}, {.gpus = 1, .free = 1}};
  std::vector<double> free_now_{1, 1};
  Steps steps_{.begin = kStart, .length = std::chrono::hours(1), .count = 2};
  MpcTariff tariff_{cluster_, {}, {.price = 1, .carbon = 0, .transfer = 1, .wait = 0}, 0};
  MpcRoom room_;
};

TEST_F(TwoSites, count_prices_in_terms_of_their_mean) {
  refresh(priced(2, 4), priced(6, 8));  // 5 in the mean
  const auto demands = one_hour(1);
  EXPECT_DOUBLE_EQ(tariff_.energy(demands[0], 0), 2.0 / 5);
  EXPECT_DOUBLE_EQ(tariff_.energy(demands[1], 0.5), (6 + 8) / 2.0 / 5);
}

TEST_F(TwoSites, take_a_job_where_and_when_it_is_cheapest_in_time) {
  refresh(priced(4, 3), priced(5, 2));
  const MpcChoice later = choice(one_hour(1));
  EXPECT_EQ(later.demand->site, SiteId{1});
  EXPECT_DOUBLE_EQ(later.start, 1);
  EXPECT_FALSE(later.goes_now());
  const MpcChoice urgent = choice(one_hour(0.5));
  EXPECT_EQ(urgent.demand->site, SiteId{0});
  EXPECT_TRUE(urgent.goes_now());
}

TEST_F(TwoSites, send_files_early_enough_and_only_if_that_pays) {
  refresh(priced(4, 4), priced(4, 2));  // 3.5 in the mean
  auto demands = one_hour(1);
  demands[1].delay = 0.25;
  demands[1].transfer = 0.5;  // less than the 2 / 3.5 that it saves
  EXPECT_DOUBLE_EQ(choice(demands).departs, 0.75);
  demands[1].transfer = 0.6;
  EXPECT_EQ(choice(demands).demand->site, SiteId{0});
}

TEST_F(TwoSites, hold_a_job_that_finds_no_gpu_until_the_last_moment) {
  refresh(priced(4, 4), priced(4, 4));
  for (const std::uint32_t site : {0u, 1u}) room_.book({.site = {site}, .run = 2, .gpus = 1}, 0);
  free_now_ = {0, 0};
  const MpcChoice held = choice(one_hour(0.5));
  EXPECT_FALSE(held.demand);
  EXPECT_TRUE(held.eager);
  EXPECT_DOUBLE_EQ(held.departs, 0.5);
  EXPECT_TRUE(choice(one_hour(0)).goes_now());
}

TEST_F(TwoSites, price_gpus_by_what_the_next_best_would_cost) {
  refresh(priced(4, 3), priced(5, 2));  // 3.5 in the mean
  const auto none = worth_of(1, 1);
  EXPECT_DOUBLE_EQ(none[1].between(1, 2), 0);
  // Three jobs have the hours at 2, 3 and 4: each GPU is worth what it saves.
  const auto worth = worth_of(3, 1);
  EXPECT_NEAR(worth[1].between(1, 2) - worth[0].between(0, 1), (4 - 2) / 3.5, 1e-6);
  EXPECT_NEAR(worth[0].between(1, 2) - worth[0].between(0, 1), (4 - 3) / 3.5, 1e-6);
  EXPECT_NEAR(worth[1].between(0, 1), 0, 1e-6);
}

TEST_F(TwoSites, fill_the_first_free_hours_with_those_that_wait_there) {
  news_[0].waiting_gpu_hours = 1.5;
  refresh(priced(1, 1), priced(1, 1));
  EXPECT_DOUBLE_EQ(room_.free(0, 0), 0);
  EXPECT_DOUBLE_EQ(room_.free(0, 1), 0.5);
  EXPECT_DOUBLE_EQ(room_.free(1, 0), 1);
}

}  // namespace

}  // namespace penstock
