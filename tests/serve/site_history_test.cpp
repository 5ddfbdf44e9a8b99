#include "serve/site_history.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

constexpr Time kNoon{std::chrono::sys_days(std::chrono::year(2026) / 3 / 1) + 12h};

std::string powers(const SiteHistory& history) {
  const std::vector<std::string> names{"east"};
  return history.as_json(names)["sites"][0]["power_w"].dump();
}

void add(SiteHistory& history, Time when, double watts) {
  const std::vector<SiteSample> sites{{.power = Watts(watts), .queued = 3}};
  history.add(when, sites);
}

TEST(SiteHistory, has_one_sample_a_minute_and_says_where_it_begins) {
  SiteHistory history;
  const std::vector<std::string> names{"east"};
  EXPECT_EQ(history.as_json(names)["from"], nullptr);
  for (int s = 0; s < 150; ++s) add(history, kNoon + 30s + s * 1s, s);
  EXPECT_EQ(powers(history), "[0.0,30.0,90.0]");
  const auto json = history.as_json(names);
  EXPECT_EQ(json["from"], "2026-03-01T12:00:00Z");
  EXPECT_EQ(json["every_s"], 60);
  EXPECT_EQ(json["sites"][0]["queued"].dump(), "[3,3,3]");
}

TEST(SiteHistory, shows_gaps_as_gaps) {
  SiteHistory history;
  add(history, kNoon, 1);
  add(history, kNoon + 3min, 2);
  EXPECT_EQ(powers(history), "[1.0,null,null,2.0]");
}

TEST(SiteHistory, forgets_the_oldest_and_all_after_a_long_gap) {
  SiteHistory history({.every = 1min, .most = 3});
  for (int i = 0; i < 5; ++i) add(history, kNoon + i * 1min, i);
  EXPECT_EQ(powers(history), "[2.0,3.0,4.0]");
  add(history, kNoon + 24h, 7);
  EXPECT_EQ(powers(history), "[7.0]");
}

TEST(SiteHistory, forgets_what_is_later_when_the_clock_goes_back) {
  SiteHistory history;
  for (int i = 0; i < 4; ++i) add(history, kNoon + i * 1min, i);
  add(history, kNoon + 1min, 9);
  EXPECT_EQ(powers(history), "[0.0,1.0]");
  add(history, kNoon - 24h, 5);
  EXPECT_EQ(powers(history), "[5.0]");
}

}  // namespace
}  // namespace penstock
