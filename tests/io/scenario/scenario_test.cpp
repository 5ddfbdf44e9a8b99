#include "io/scenario/scenario.h"

#include <gtest/gtest.h>

#include <sstream>

#include "io/scenario/data_folder.h"
#include "io/scenario/table_reader.h"

namespace penstock {
namespace {

using std::chrono::hours;

const Time kScenarioStart{std::chrono::sys_days(std::chrono::year(2022) / 3 / 1)};

Scenario whole(const std::vector<std::string>& overrides = {}) {
  auto scenario = read_scenario(kData / "whole.toml", overrides);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario ? std::move(*scenario) : Scenario{};
}

TEST(Scenario, the_workload_is_described) {
  const Scenario scenario = whole();
  EXPECT_EQ(scenario.name, "everything");
  EXPECT_EQ(scenario.seed, 7u);
  const WorkloadSpec& workload = scenario.workload;
  EXPECT_EQ(workload.trace, kData / "philly.csv");
  EXPECT_EQ(workload.format, "philly");
  EXPECT_EQ(workload.options.limit, 1000u);
  EXPECT_EQ(workload.options.start, kScenarioStart);
  EXPECT_EQ(workload.options.from, kScenarioStart);
  EXPECT_EQ(workload.options.until, kScenarioStart + hours(24));
  EXPECT_EQ(workload.options.load, 1.5);
  EXPECT_EQ(workload.options.gpus_max, 16u);
  EXPECT_EQ(workload.options.request_factor, 2);
  EXPECT_EQ(workload.options.seed, 7u);
  EXPECT_FALSE(workload.options.strict);
  EXPECT_EQ(workload.over_request, OverRequest::extend);
  EXPECT_TRUE(workload.drop_oversized);
}

TEST(Scenario, nodes_are_built_of_catalogue_and_own_types) {
  const Cluster cluster = whole().cluster;
  ASSERT_EQ(cluster.sites.size(), 2u);
  EXPECT_EQ(cluster.sites[0].name, "frankfurt");
  EXPECT_EQ(cluster.sites[0].gpus, 28u);
  EXPECT_EQ(cluster.sites[1].gpus, 128u);
  ASSERT_EQ(cluster.types.size(), 3u);  // only those in use
  EXPECT_EQ(cluster.types[1].name, "a100-capped");
  EXPECT_EQ(cluster.types[1].peak, Watts(300));
  EXPECT_EQ(cluster.types[1].idle, cluster.types[0].idle);
  EXPECT_EQ(cluster.types[1].min_clock_mhz, 510u);
  EXPECT_EQ(cluster.types[1].max_clock_mhz, 1110u);
  EXPECT_EQ(cluster.types[2].name, "cpu-core");
}

TEST(Scenario, base_power_has_a_default_per_device) {
  const Cluster cluster = whole().cluster;
  EXPECT_EQ(cluster.node(NodeId{0}).base, Watts(928));
  EXPECT_EQ(cluster.node(NodeId{0}).base_sleep, Watts(30));
  EXPECT_EQ(cluster.node(NodeId{3}).base, Watts(600));
  EXPECT_EQ(cluster.node(NodeId{3}).base_sleep, Watts(20));
  EXPECT_EQ(cluster.node(NodeId{4}).base, Watts(256));
}

TEST(Scenario, signals_are_read_from_files_and_constants) {
  const Scenario scenario = whole();
  const SiteSignals& frankfurt = scenario.signals[0];
  EXPECT_EQ(frankfurt.price.at(kScenarioStart), Price(0.1));
  EXPECT_EQ(frankfurt.price.at(kScenarioStart + hours(1)), Price(-0.02));
  EXPECT_EQ(frankfurt.price.at(kScenarioStart + hours(100)), Price(3));
  EXPECT_EQ(frankfurt.carbon.at(kScenarioStart + hours(1)), CarbonIntensity(200));
  EXPECT_EQ(frankfurt.carbon_kind, CarbonKind::marginal);
  EXPECT_EQ(frankfurt.pue.at(kScenarioStart), Ratio(1.3));
  EXPECT_EQ(frankfurt.cap->at(kScenarioStart), Watts(50000));
  EXPECT_EQ(frankfurt.temperature->at(kScenarioStart), Celsius(10));
  EXPECT_EQ(frankfurt.known_until, kScenarioStart + hours(4));  // of the carbon series
  const SiteSignals& lyon = scenario.signals[1];
  EXPECT_EQ(lyon.price.at(kScenarioStart), Price(0.12));
  EXPECT_EQ(lyon.pue.at(kScenarioStart + hours(1)), Ratio(1.4));
  EXPECT_EQ(lyon.known_until, std::nullopt);
  EXPECT_EQ(scenario.notes, (std::vector<std::string>{"site 'lyon' has no carbon: it emits none"}));
}

TEST(Scenario, each_site_has_its_forecasts) {
  const Scenario scenario = whole();
  const Outlook outlook(scenario.signals, scenario.forecasts, kScenarioStart);
  EXPECT_EQ(outlook.price(SiteId{0}).known_until(), kScenarioStart + hours(12));
  EXPECT_EQ(outlook.price(SiteId{0}).at(kScenarioStart + hours(2)), Price(3));
  EXPECT_EQ(outlook.carbon(SiteId{0}).at(kScenarioStart + hours(1)), CarbonIntensity(210));
  EXPECT_EQ(outlook.carbon(SiteId{0}).known_until(), kScenarioStart + hours(2));
  EXPECT_NE(outlook.price(SiteId{1}).at(kScenarioStart + hours(2)), Price(0.12));
}

TEST(Scenario, noise_follows_the_seed) {
  const auto said = [](const Scenario& scenario) {
    const Outlook outlook(scenario.signals, scenario.forecasts, kScenarioStart);
    return outlook.price(SiteId{1}).at(kScenarioStart + hours(2));
  };
  EXPECT_EQ(said(whole()), said(whole()));
  EXPECT_NE(said(whole()), said(whole({"seed=8"})));
}

TEST(Scenario, without_a_word_about_forecasts_the_last_day_repeats) {
  const auto scenario = parse_scenario(R"(
[workload]
trace = "philly.csv"
format = "philly"
[[site]]
name = "a"
[[site.nodes]]
gpus = 1
gpu = "t4"
)",
                                       "small.toml", kData);
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_TRUE(std::holds_alternative<PersistenceForecast>(scenario->forecasts[0].price.kind));
  EXPECT_EQ(scenario->name, "small");
  EXPECT_EQ(scenario->currency, "");
  EXPECT_TRUE(scenario->policies.empty());
  EXPECT_TRUE(scenario->workload.options.strict);
  EXPECT_EQ(scenario->notes, (std::vector<std::string>{"site 'a' has no price: energy is free",
                                                       "site 'a' has no carbon: it emits none"}));
  EXPECT_EQ(sweep_overrides(*scenario), std::vector<std::vector<std::string>>{{}});
}

TEST(Scenario, costs_and_failures_have_units) {
  const Scenario scenario = whole();
  EXPECT_EQ(scenario.costs.restart, std::chrono::minutes(1));
  EXPECT_EQ(scenario.costs.sleep_after, std::chrono::minutes(10));
  EXPECT_EQ(scenario.costs.wake, std::chrono::minutes(2));
  EXPECT_EQ(scenario.currency, "EUR");
  EXPECT_DOUBLE_EQ(scenario.carbon_price, 80e-6);
  EXPECT_EQ(scenario.failures->mtbf, hours(24 * 30));
  EXPECT_EQ(scenario.failures->mttr, hours(4));
  EXPECT_EQ(scenario.failures->checkpoint, hours(1));
}

TEST(Scenario, policy_options_stay_text) {
  const auto policies = whole().policies;
  ASSERT_EQ(policies.size(), 2u);
  EXPECT_EQ(policies[0].name, "fifo");
  EXPECT_EQ(policies[1].options,
            (decltype(policies[1].options){
                {"backfill", "easy"}, {"depth", "3"}, {"share", "0.5"}, {"strict", "true"}}));
}

TEST(Scenario, a_sweep_is_the_cartesian_product_in_the_order_of_the_file) {
  EXPECT_EQ(sweep_overrides(whole()),
            (std::vector<std::vector<std::string>>{{"policy.backfill=none", "workload.load=1"},
                                                   {"policy.backfill=none", "workload.load=1.5"},
                                                   {"policy.backfill=easy", "workload.load=1"},
                                                   {"policy.backfill=easy", "workload.load=1.5"}}));
}

TEST(Scenario, every_run_of_a_sweep_can_be_read) {
  for (const auto& overrides : sweep_overrides(whole())) {
    const Scenario run = whole(overrides);
    EXPECT_EQ("policy.backfill=" + run.policies[1].options.at("backfill"), overrides[0]);
  }
}

TEST(Scenario, its_hash_knows_the_text_and_the_overrides) {
  EXPECT_EQ(whole().hash, whole().hash);
  EXPECT_EQ(whole().hash.size(), 16u);
  EXPECT_NE(whole().hash, whole({"seed=8"}).hash);
}

/// A scenario after one override, or the error.
std::string after(std::string_view text, std::string_view override) {
  auto table = toml::parse(text);
  const auto done = apply_override(table, override);
  if (!done) return done.error().message;
  std::ostringstream out;
  out << table;
  return out.str();
}

TEST(Overrides, replace_or_add_a_value) {
  EXPECT_EQ(after("seed = 1", "seed=2"), "seed = 2");
  EXPECT_EQ(after("", "workload.limit = 5"), "[workload]\nlimit = 5");
}

TEST(Overrides, words_need_no_quotes) {
  EXPECT_EQ(after("", "name=easy"), "name = 'easy'");
  EXPECT_EQ(after("", "name=\"easy\""), "name = 'easy'");
  EXPECT_EQ(after("", "name=20 kWh/h"), "name = '20 kWh/h'");
  EXPECT_EQ(after("", "name="), "name = ''");
  EXPECT_EQ(after("", "strict=true"), "strict = true");
}

TEST(Overrides, reach_into_lists_of_tables_by_number_name_or_all) {
  const char* two = "site = [ { name = 'a' }, { name = 'b' } ]";
  EXPECT_EQ(after(two, "site.1.pue=2"), "site = [ { name = 'a' }, { name = 'b', pue = 2 } ]");
  EXPECT_EQ(after(two, "site.a.pue=2"), "site = [ { name = 'a', pue = 2 }, { name = 'b' } ]");
  EXPECT_EQ(after(two, "site.pue=2"),
            "site = [ { name = 'a', pue = 2 }, { name = 'b', pue = 2 } ]");
}

TEST(Overrides, that_make_no_sense_are_refused) {
  EXPECT_EQ(after("", "seed"), "--set seed: has no '='; write key.path=value");
  EXPECT_EQ(after("", ".a=1"), "--set .a=1: the key is not a path such as policy.name");
  EXPECT_EQ(after("seed = 1", "seed.x=1"), "--set seed.x=1: 'seed' is not a table");
  EXPECT_EQ(after("site = [ { name = 'a' } ]", "site.a=1"),
            "--set site.a=1: names a table, not a key");
}

TEST(Samples, every_scenario_of_the_repository_is_valid) {
  int count = 0;
  const auto data = std::filesystem::path(PENSTOCK_ROOT) / "data";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".toml") continue;
    if (entry.path().parent_path().filename() == "models") continue;  // no scenarios
    if (entry.path().filename() == "cases.toml") continue;            // of a study
    const auto scenario = read_scenario(entry.path());
    EXPECT_TRUE(scenario) << scenario.error().message;
    ++count;
  }
  EXPECT_GT(count, 5);
}

}  // namespace
}  // namespace penstock
