#include <gtest/gtest.h>

#include "io/scenario/data_folder.h"
#include "io/scenario/scenario.h"

namespace penstock {
namespace {

using std::chrono::hours;

const Time kBadScenarioStart{std::chrono::sys_days(std::chrono::year(2022) / 3 / 1)};

const std::string kBadScenarioWorkload = "[workload]\ntrace = 'philly.csv'\nformat = 'philly'\n";
const std::string kBadScenarioNodes = "[[site.nodes]]\ngpus = 8\ngpu = 'a100'\n";
const std::string kSite = "[[site]]\nname = 'a'\n" + kBadScenarioNodes;

/// What is wrong with a scenario, without the folder of this test.
std::string bad_scenario_error(const std::string& text,
                               const std::vector<std::string>& overrides = {}) {
  const auto scenario = parse_scenario(text, "bad.toml", kData, overrides);
  if (scenario) return "no error";
  std::string message = scenario.error().message;
  const std::string folder = kData.string() + "/";
  for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
    message.erase(at, folder.size());
  return message;
}

/// What is wrong with a scenario that has these lines of a site (they begin with line 3) beside a
/// good rest.
std::string site_error(const std::string& lines) {
  return bad_scenario_error("[[site]]\nname = 'a'\n" + lines + kBadScenarioNodes +
                            kBadScenarioWorkload);
}

TEST(BadScenario, the_good_rest_is_good) {
  EXPECT_EQ(bad_scenario_error(kSite + kBadScenarioWorkload), "no error");
}

TEST(BadScenario, a_missing_file_is_named) {
  EXPECT_EQ(read_scenario("nowhere/demo.toml").error().message, "nowhere/demo.toml: no such file");
}

TEST(BadScenario, what_is_not_toml_is_said_with_its_line) {
  EXPECT_EQ(bad_scenario_error("seed = 1\nname = \n"),
            "bad.toml:2: is not valid TOML: Error while parsing key-value pair: expected value, "
            "saw '\\n'");
}

TEST(BadScenario, an_empty_one_lacks_everything) {
  EXPECT_EQ(bad_scenario_error(""),
            "bad.toml: workload: is missing; write [workload] with trace and format, with "
            "generate or with workflows\n"
            "bad.toml: site: is missing; write at least one [[site]] with [[site.nodes]]");
}

TEST(BadScenario, a_typo_in_a_key_names_the_nearest) {
  EXPECT_EQ(bad_scenario_error("nmae = 'x'\n" + kSite + "reck = 4\n" + kBadScenarioWorkload +
                               "gpu_max = 4\n"),
            "bad.toml:1: nmae: unknown key; did you mean 'name'?\n"
            "bad.toml:7: site.nodes.reck: unknown key; did you mean 'rack'?\n"
            "bad.toml:11: workload.gpu_max: unknown key; did you mean 'gpus_max'?");
}

TEST(BadScenario, a_key_like_no_other_lists_the_possible_ones) {
  EXPECT_EQ(
      bad_scenario_error("[costs]\nqwertyuiop = 1\n" + kSite + kBadScenarioWorkload),
      "bad.toml:2: costs.qwertyuiop: unknown key; possible here: start restart node_sleep currency "
      "carbon_price exchange");
}

TEST(BadScenario, every_problem_is_told_in_one_go_by_line) {
  EXPECT_EQ(bad_scenario_error("seed = -1\n"
                               "[workload]\n"
                               "trace = 'nowhere.csv'\n"
                               "limit = 0\n"
                               "load = nan\n"
                               "gpus_max = '8'\n"
                               "start = 'soon'\n"
                               "from = 1960-01-01\n"
                               "rows = 'loose'\n"
                               "[costs]\n"
                               "restart = 30\n" +
                               kSite),
            "bad.toml:1: seed: must be at least 0, not -1\n"
            "bad.toml:2: workload.format: is missing; there are: swf philly helios pai openb gavel "
            "pollux elasticflow chronus batsim wfformat andreas csv sacct journal\n"
            "bad.toml:3: workload.trace: nowhere.csv: no such file\n"
            "bad.toml:4: workload.limit: must be at least 1, not 0\n"
            "bad.toml:5: workload.load: must be a finite number, not nan\n"
            "bad.toml:6: workload.gpus_max: must be a whole number, not text\n"
            "bad.toml:7: workload.start: 'soon' is not a time such as \"2022-03-01T00:00Z\"\n"
            "bad.toml:8: workload.from: '1960-01-01' is before 1970\n"
            "bad.toml:9: workload.rows: there is no 'loose'; possible: strict lenient\n"
            "bad.toml:11: costs.restart: must be a time in quotes such as \"30 s\", not a whole "
            "number");
}

TEST(BadScenario, a_workload_has_one_source) {
  EXPECT_EQ(bad_scenario_error(kSite + "[workload]\nlimit = 3\n"),
            "bad.toml:6: workload.trace: is missing; or write [workload.generate] or "
            "[workload.workflows]");
  EXPECT_EQ(
      bad_scenario_error(kSite + "[workload]\ntrace = '.'\nformat = 'phily'\n"
                                 "from = '2022-03-02'\nuntil = '2022-03-01'\n"),
      "bad.toml:7: workload.trace: .: is a directory, not a file\n"
      "bad.toml:8: workload.format: there is no format 'phily'; there are: swf philly helios "
      "pai openb gavel pollux elasticflow chronus batsim wfformat andreas csv sacct journal; did "
      "you mean 'philly'?\n"
      "bad.toml:10: workload.until: is not after workload.from");
}

TEST(BadScenario, nodes_need_gpus_of_a_known_type) {
  EXPECT_EQ(bad_scenario_error(
                "[[site]]\nname = 'a'\n[[site.nodes]]\ncount = -1\ngpus = 0\ngpu = 'a1000'\n"
                "rack = 0\nbase_power = 600\nsleep_power = '-3 W'\n" +
                kBadScenarioWorkload),
            "bad.toml:4: site.nodes.count: must be at least 1, not -1\n"
            "bad.toml:5: site.nodes.gpus: must be at least 1, not 0\n"
            "bad.toml:6: site.nodes.gpu: there is no GPU type 'a1000'; there are: h100 a100 "
            "a100-40gb a40 v100 v100-32gb p100 k80 t4 a10g l4 rtx2080ti tesla turing m60 gtx "
            "1080ti quadro p600 cpu-core; did you mean "
            "'a100'?\n"
            "bad.toml:7: site.nodes.rack: must be at least 1, not 0\n"
            "bad.toml:8: site.nodes.base_power: '600' has no unit; a power can be in: W kW MW "
            "kWh/h\n"
            "bad.toml:9: site.nodes.sleep_power: must be at least 0, not -3 W");
  EXPECT_EQ(bad_scenario_error("[[site]]\nname = 'a'\n[[site.nodes]]\n" + kBadScenarioWorkload),
            "bad.toml:3: site.nodes.gpus: is missing\n"
            "bad.toml:3: site.nodes.gpu: is missing");
}

TEST(BadScenario, a_cluster_has_a_believable_size) {
  EXPECT_EQ(bad_scenario_error(kSite + "count = 9000000\n" + kBadScenarioWorkload),
            "bad.toml:6: site.nodes.count: makes more than 10 million GPUs in all");
}

TEST(BadScenario, sites_have_names_of_their_own_and_nodes) {
  EXPECT_EQ(bad_scenario_error(kSite + kSite + "[[site]]\npue = 1.1\n" + kBadScenarioWorkload),
            "bad.toml:7: site.name: there are two sites 'a'\n"
            "bad.toml:11: site.name: is missing\n"
            "bad.toml:11: site.nodes: is missing; write [[site.nodes]] with count, gpus and gpu");
}

TEST(BadScenario, own_gpu_types_are_whole_and_new) {
  EXPECT_EQ(bad_scenario_error("[[gpu_type]]\n"
                               "name = 'a100'\n"
                               "like = 'a10'\n"
                               "[[gpu_type]]\n"
                               "name = 'b'\n"
                               "idle = '5 W'\n"
                               "peak = '3 W'\n"
                               "clocks = { min = '2 GHz', max = '1 GHz', stop = 1 }\n" +
                               kSite + kBadScenarioWorkload),
            "bad.toml:2: gpu_type.name: there is already a GPU type 'a100'\n"
            "bad.toml:3: gpu_type.like: there is no GPU type 'a10'; there are: h100 a100 "
            "a100-40gb a40 v100 v100-32gb p100 k80 t4 a10g l4 rtx2080ti "
            "tesla turing m60 gtx 1080ti quadro p600 cpu-core; did you mean "
            "'a100'?\n"
            "bad.toml:4: gpu_type.memory: is missing; needed where no like = \"…\" names another "
            "type\n"
            "bad.toml:6: gpu_type.idle: 5 W is above the peak of 3 W\n"
            "bad.toml:8: gpu_type.clocks: min 2000 MHz is above max 1000 MHz\n"
            "bad.toml:8: gpu_type.clocks.stop: unknown key; did you mean 'step'?");
}

TEST(BadScenario, signals_have_a_file_or_a_constant_with_its_unit) {
  EXPECT_EQ(site_error("pue = 0.9\n"
                       "price = '0.12 EUR/kWh'\n"
                       "carbon = { fixed = '3 lbs' }\n"
                       "cap = {}\n"
                       "temperature = { file = 'carbon.csv', column = 'ci_g_per_kwh' }\n"),
            "bad.toml:3: site.pue: must be at least 1, not 0.9\n"
            "bad.toml:4: site.price: must be a table such as { fixed = \"0.12 EUR/kWh\" }, not "
            "text\n"
            "bad.toml:5: site.carbon.fixed: unknown unit 'lbs'; a carbon intensity can be in: "
            "g/kWh kg/kWh kg/MWh t/MWh lb/MWh\n"
            "bad.toml:6: site.cap.file: is missing; or write { fixed = \"500 kW\" }\n"
            "bad.toml:7: site.temperature.unit: is missing; a temperature can be in: C K F");
}

TEST(BadScenario, an_unknown_unit_column_or_file_is_said) {
  EXPECT_EQ(site_error("price = { file = 'price.csv', column = 'x', unit = 'EUR/MW' }\n"
                       "carbon = { file = 'carbon.csv', column = 'ci_g_per_kw', unit = 'g/kWh' }\n"
                       "cap = { file = 'gone.csv', column = 'x', unit = 'kW' }\n"),
            "bad.toml:3: site.price.unit: unknown unit 'EUR/MW'; a price can be in: EUR/kWh "
            "EUR/MWh USD/kWh USD/MWh ct/kWh (or another currency)\n"
            "bad.toml:4: site.carbon: carbon.csv: no column 'ci_g_per_kw'; there are: utc "
            "ci_g_per_kwh; did you mean 'ci_g_per_kwh'?\n"
            "bad.toml:5: site.cap: gone.csv: no such file");
}

TEST(BadScenario, a_hole_in_a_signal_is_an_error_unless_filled) {
  EXPECT_EQ(site_error("price = { file = 'holes.csv', column = 'price', unit = 'EUR/MWh' }\n"),
            "bad.toml:3: site.price: holes.csv:4: price: is missing; fill holes with gap = "
            "\"hold\" or gap = \"interpolate\"\n"
            "bad.toml:3: site.price: holes.csv:5: utc: nothing between 2022-03-01T02:00:00Z and "
            "2022-03-01T05:00:00Z, where rows are 1 h apart; fill holes with gap = \"hold\" or gap "
            "= \"interpolate\"");
  EXPECT_EQ(site_error("price = { file = 'holes.csv', column = 'price', unit = 'EUR/MWh', gap = "
                       "'hold' }\n"),
            "no error");
  EXPECT_EQ(site_error("price = { file = 'price.csv', column = 'price_eur_per_mwh', unit = "
                       "'EUR/MWh', gap = 'guess', after_end = 'stop' }\n"),
            "bad.toml:3: site.price.gap: there is no 'guess'; possible: error hold interpolate\n"
            "bad.toml:3: site.price.after_end: there is no 'stop'; possible: error hold repeat");
}

TEST(BadScenario, forecasts_are_of_a_known_kind) {
  EXPECT_EQ(site_error("forecast = { kind = 'psychic', horizon = '-1 h' }\n"),
            "bad.toml:3: site.forecast.kind: there is no 'psychic'; possible: perfect persistence "
            "noisy day-ahead file\n"
            "bad.toml:3: site.forecast.horizon: '-1 h' is negative");
  EXPECT_EQ(site_error("forecast = { kind = 'noisy' }\n"),
            "bad.toml:3: site.forecast.mape: is missing; the mean absolute error, such as 0.1 or "
            "\"10 %\"");
  EXPECT_EQ(site_error("forecast = { kind = 'noisy', mape = 2 }\n"),
            "bad.toml:3: site.forecast.mape: must be at most 0.5");
  EXPECT_EQ(site_error("forecast = { kind = 'perfect', mape = 0.1 }\n"),
            "bad.toml:3: site.forecast.mape: belongs to kind = \"noisy\"");
  EXPECT_EQ(site_error("forecast = { kind = 'file' }\n"),
            "bad.toml:3: site.forecast.kind: a file foretells one signal: write carbon = { kind = "
            "\"file\", … }");
  EXPECT_EQ(site_error("forecast = { carbon = { kind = 'file', file = 'issued.csv', column = "
                       "'h', unit = 'g/kWh' } }\n"),
            "bad.toml:3: site.forecast.carbon: issued.csv: no column 'h'; there are: issue_utc "
            "lead_h g");
}

TEST(BadScenario, two_currencies_are_never_mixed) {
  EXPECT_EQ(
      bad_scenario_error("[[site]]\nname = 'a'\nprice = { fixed = '0.12 EUR/kWh' }\n" +
                         kBadScenarioNodes +
                         "[[site]]\nname = 'b'\nprice = { fixed = '0.12 USD/kWh' }\n" +
                         kBadScenarioNodes + kBadScenarioWorkload),
      "bad.toml:9: site.price: is in USD, but site.price at bad.toml:3 is in EUR; currencies "
      "are never mixed: convert the series first, or say in costs.exchange what a USD is worth");
  EXPECT_EQ(
      bad_scenario_error(kSite + kBadScenarioWorkload +
                         "[costs]\ncurrency = 'EUR'\ncarbon_price = '80 USD/t'\n"),
      "bad.toml:11: costs.carbon_price: is in USD, but costs.currency says EUR; currencies are "
      "never mixed: convert the series first, or say in costs.exchange what a USD is worth");
  EXPECT_EQ(bad_scenario_error(kSite + kBadScenarioWorkload + "[costs]\ncurrency = 'Euro'\n"),
            "bad.toml:10: costs.currency: unknown currency 'Euro'; there are: EUR USD GBP CHF SEK "
            "NOK DKK PLN CZK HUF RON BGN CNY JPY KRW INR SGD TWD AUD NZD CAD BRL MXN ZAR");
}

TEST(BadScenario, costs_failures_policies_and_sweeps_are_checked) {
  EXPECT_EQ(bad_scenario_error("[[policy]]\n"
                               "order = 'x'\n"
                               "list = [1]\n"
                               "[costs]\n"
                               "node_sleep = { wake = 'soon' }\n"
                               "[failures]\n"
                               "mtbf = '0 s'\n"
                               "[sweep]\n"
                               "'policy.x' = 3\n" +
                               kSite + kBadScenarioWorkload),
            "bad.toml:1: policy.name: is missing; see `penstock policies`\n"
            "bad.toml:3: policy.list: must be text, a number, or true or false\n"
            "bad.toml:5: costs.node_sleep.after: is missing\n"
            "bad.toml:5: costs.node_sleep.wake: 'soon' does not begin with a finite number\n"
            "bad.toml:6: failures.mttr: is missing\n"
            "bad.toml:7: failures.mtbf: must be longer than nothing\n"
            "bad.toml:9: sweep.policy.x: must be a list of values, such as [1, 2]");
}

TEST(BadScenario, a_bad_override_names_itself) {
  EXPECT_EQ(bad_scenario_error(kSite + kBadScenarioWorkload, {"workload.limit=0", "site.pue=hot"}),
            "--set workload.limit=0: workload.limit: must be at least 1, not 0\n"
            "--set site.pue=hot: site.pue: must be a table such as { fixed = 1.3 }, not text");
}

std::string uncovered(Time first, Time last) {
  const auto scenario = parse_scenario(
      "[[site]]\nname = 'a'\n"
      "price = { file = 'price.csv', column = 'price_eur_per_mwh', unit = 'EUR/MWh' }\n"
      "carbon = { file = 'carbon.csv', column = 'ci_g_per_kwh', unit = 'g/kWh', after_end = 'hold' "
      "}\n" +
          kBadScenarioNodes + kBadScenarioWorkload,
      "bad.toml", kData);
  EXPECT_TRUE(scenario);
  const auto covered = check_coverage(*scenario, first, last);
  if (covered) return "covered";
  std::string message = covered.error().message;
  const std::string folder = kData.string() + "/";
  for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
    message.erase(at, folder.size());
  return message;
}

TEST(BadScenario, a_signal_must_cover_the_time_of_the_jobs) {
  EXPECT_EQ(uncovered(kBadScenarioStart, kBadScenarioStart + hours(3) - Duration(1)), "covered");
  EXPECT_EQ(uncovered(kBadScenarioStart - hours(1), kBadScenarioStart + hours(3)),
            "bad.toml:3: site.price: price.csv begins at 2022-03-01T00:00:00Z, after the first job "
            "at 2022-02-28T23:00:00Z; possible: a later workload.start or workload.from, or a "
            "longer series\n"
            "bad.toml:3: site.price: price.csv ends at 2022-03-01T03:00:00Z, before the last job "
            "comes at 2022-03-01T03:00:00Z; possible: after_end = \"hold\" or \"repeat\", an "
            "earlier workload.start, workload.limit, or a longer series\n"
            "bad.toml:4: site.carbon: carbon.csv begins at 2022-03-01T00:00:00Z, after the first "
            "job at 2022-02-28T23:00:00Z; possible: a later workload.start or workload.from, or a "
            "longer series");
}

}  // namespace
}  // namespace penstock
