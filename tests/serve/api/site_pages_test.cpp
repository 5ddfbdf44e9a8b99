#include "serve/api/site_pages.h"

#include "serve/two_sites.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

class SitePagesTest : public TwoSites {
 protected:
  SitePages pages{needs};
};

TEST_F(SitePagesTest, a_daemon_that_was_told_to_look_on_is_ready) {
  config.fence.mode = Mode::shadow;
  look_at_clusters();
  const ApiResponse response = pages.ready(kNoon);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(parsed(response), json::parse(R"({"ready":true,"why_not":[],
                                              "now":"2026-05-04T12:00:00Z"})"));
  EXPECT_EQ(parsed(pages.state(kNoon))["why_not"], json{"the mode is shadow"});
}

TEST_F(SitePagesTest, a_daemon_that_cannot_act_says_why_and_where) {
  const ApiResponse unasked = pages.ready(kNoon);
  EXPECT_EQ(unasked.status, 503);
  EXPECT_EQ(parsed(unasked)["why_not"], json({"east does not answer: it was not asked yet",
                                              "west does not answer: it was not asked yet"}));
  look_at_clusters();
  EXPECT_EQ(pages.ready(kNoon).status, 200);
  control.pause("lunch", kNoon);
  const ApiResponse paused = pages.ready(kNoon);
  EXPECT_EQ(paused.status, 503);
  EXPECT_EQ(parsed(paused)["why_not"], json{"it is paused: lunch"}) << "of both sites once";
}

TEST_F(SitePagesTest, the_state_counts_the_jobs_of_all_sites) {
  show(0, {waiting(1), running(2)});
  show(1, {waiting(1)});
  const json state = parsed(pages.state(kNoon + 1h));
  EXPECT_EQ(state["jobs"], json::parse(R"({"queued":2,"running":1,"ended":0})"));
  EXPECT_EQ(state["sites"], json({"east", "west"}));
  EXPECT_EQ(state["policy"]["name"], "fifo");
  EXPECT_EQ(state["since"], "2026-05-04T12:00:00Z");
  EXPECT_EQ(state["now"], "2026-05-04T13:00:00Z");
  EXPECT_EQ(state["version"], "1.2");
  EXPECT_EQ(state["mode"], "live");
}

TEST_F(SitePagesTest, the_daemon_acts_if_it_does_at_any_site) {
  look_at_clusters();
  EXPECT_FALSE(parsed(pages.state(kNoon))["acting"]);
  access[1].permissions.acts = true;
  EXPECT_TRUE(parsed(pages.state(kNoon))["acting"]);
  const json sites = parsed(pages.sites(kNoon))["sites"];
  EXPECT_FALSE(sites[0]["acting"]);
  EXPECT_TRUE(sites[1]["acting"]);
}

TEST_F(SitePagesTest, a_site_shows_its_signals_and_nothing_that_nobody_knows) {
  scenario.signals[1].price = Signal<Price>::constant(Price(0.25));
  scenario.signals[1].carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(300));
  scenario.signals[1].cap = Signal<Watts>::constant(Watts(5000));
  const json sites = parsed(pages.sites(kNoon))["sites"];
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_EQ(sites[1]["name"], "west");
  EXPECT_EQ(sites[1]["price"], 0.25);
  EXPECT_EQ(sites[1]["price_unit"], "EUR/kWh");
  EXPECT_EQ(sites[1]["carbon_g_per_kwh"], 300);
  EXPECT_EQ(sites[1]["cap_w"], 5000);
  EXPECT_TRUE(sites[0]["cap_w"].is_null()) << "it has none";
  EXPECT_TRUE(sites[0]["budget_w"].is_null()) << "two sites would share it";
  EXPECT_EQ(sites[0]["power_w"], 0) << "before the first event";
  EXPECT_EQ(sites[0]["backend"]["ok"], false);
}

TEST_F(SitePagesTest, a_site_without_a_currency_has_no_unit_of_price) {
  scenario.currency = "";
  const json site = parsed(pages.sites(kNoon))["sites"][0];
  EXPECT_TRUE(site["price_unit"].is_null());
  EXPECT_TRUE(site["currency"].is_null());
}

TEST_F(SitePagesTest, metrics_say_the_same_in_numbers) {
  show(0, {waiting(1), running(2)});
  pages.measure(kNoon);
  const std::string text = metrics.text();
  for (const char* line :
       {"penstock_jobs{state=\"queued\"} 1\n", "penstock_jobs{state=\"running\"} 1\n",
        "penstock_jobs{state=\"ended\"} 0\n", "penstock_site_power_watts{site=\"west\"} 0\n",
        "penstock_cost_total{site=\"east\",currency=\"EUR\"} 0\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST_F(SitePagesTest, a_measure_finds_since_when_a_cluster_answers) {
  pages.measure(kNoon);
  const auto backend_of_east = [&] { return parsed(pages.sites(kNoon))["sites"][0]["backend"]; };
  EXPECT_EQ(backend_of_east()["ok"], false);
  look_at_clusters();
  pages.measure(kNoon + 1min);
  pages.measure(kNoon + 2min);
  EXPECT_EQ(backend_of_east()["ok"], true);
  EXPECT_EQ(backend_of_east()["since"], "2026-05-04T12:01:00Z");
}

}  // namespace
}  // namespace penstock
