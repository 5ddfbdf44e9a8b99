#include "io/scenario/network.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/scenario/scenario.h"

namespace penstock {
namespace {

const std::string kNetworkWorkload = "[workload.generate]\njobs = 5\n";

std::string site(const std::string& name, const std::string& lines = "") {
  return "[[site]]\nname = '" + name + "'\nnodes = [{ gpus = 8, gpu = 'v100' }]\n" + lines;
}

/// Berlin (lines 1 to 4), Dallas (5 to 8), and what `lines` say from line 9 on.
Result<Scenario> with_network(const std::string& lines) {
  return parse_scenario(site("berlin", "region = 'EU'\n") + site("dallas", "region = 'US'\n") +
                            lines + kNetworkWorkload,
                        "n.toml", PENSTOCK_ROOT "/data");
}

std::string network_error(const std::string& lines) {
  const auto scenario = with_network(lines);
  return scenario ? "no error" : scenario.error().message;
}

const SiteId kBerlin{0};
const SiteId kDallas{1};

TEST(NetworkSection, is_empty_unless_it_is_written) {
  EXPECT_TRUE(with_network("")->cluster.network.empty());
}

TEST(NetworkSection, joins_regions_by_the_built_in_table) {
  const auto scenario = with_network("[network]\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Network& network = scenario->cluster.network;
  EXPECT_EQ(network.sites, 2u);
  EXPECT_EQ(network.energy_per_gigabyte, Joules(216'000));
  const Link usual{.megabits_per_second = 160, .round_trip = std::chrono::milliseconds(70)};
  EXPECT_EQ(network.link(kBerlin, kDallas), usual);
  EXPECT_EQ(network.link(kDallas, kBerlin), usual);
  EXPECT_EQ(network.delay(kBerlin, kDallas, 2), std::chrono::milliseconds(100'070));
}

TEST(NetworkSection, links_override_the_table_in_both_directions_or_one) {
  const auto scenario = with_network(
      "[network]\nenergy = '10 Wh/GB'\nfee = '0.05 EUR/GB'\n"
      "[[network.link]]\nfrom = 'berlin'\nto = 'dallas'\nthroughput = '1 Gbps'\nfee = '20 EUR/TB'\n"
      "both = false\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Network& network = scenario->cluster.network;
  EXPECT_EQ(network.energy_per_gigabyte, Joules(36'000));
  EXPECT_EQ(network.link(kBerlin, kDallas), (Link{.megabits_per_second = 1000,
                                                  .round_trip = std::chrono::milliseconds(70),
                                                  .per_gigabyte = Money(0.02)}));
  EXPECT_EQ(network.link(kDallas, kBerlin).megabits_per_second, 160);
  EXPECT_EQ(network.fee(kDallas, kBerlin, 2), Money(0.1));
  EXPECT_EQ(scenario->currency, "EUR");
  const auto both =
      with_network("[[network.link]]\nfrom = 'berlin'\nto = 'dallas'\nround_trip = '1 s'\n");
  EXPECT_EQ(both->cluster.network.link(kDallas, kBerlin).round_trip, std::chrono::seconds(1));
}

TEST(NetworkSection, nothing_passes_where_a_link_is_closed) {
  const auto scenario = with_network(
      "[[network.link]]\nfrom = 'berlin'\nto = 'dallas'\nclosed = true\nboth = false\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_FALSE(scenario->cluster.network.joins(kBerlin, kDallas));
  EXPECT_TRUE(scenario->cluster.network.joins(kDallas, kBerlin));
}

TEST(NetworkSection, takes_fees_from_a_matrix_by_the_regions_of_a_cloud) {
  const auto scenario =
      parse_scenario(site("tokyo", "region = 'AP'\ncloud_region = 'ap-northeast-1'\n") +
                         site("ohio", "region = 'US'\ncloud_region = 'us-east-2'\n") +
                         "[network]\nfee = { file = 'network-fee-aws.csv' }\n" + kNetworkWorkload,
                     "n.toml", PENSTOCK_ROOT "/data");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->cluster.network.link(SiteId{0}, SiteId{1}).per_gigabyte, Money(0.09));
  EXPECT_EQ(scenario->cluster.network.link(SiteId{1}, SiteId{0}).per_gigabyte, Money(0.02));
  EXPECT_EQ(scenario->currency, "USD");
}

TEST(NetworkSection, a_matrix_must_know_the_regions) {
  const auto scenario = parse_scenario(
      site("a", "region = 'EU'\n") + site("b", "region = 'EU'\ncloud_region = 'eu-wst-1'\n") +
          "[network]\nfee = { file = 'network-fee-aws.csv' }\n" + kNetworkWorkload,
      "n.toml", PENSTOCK_ROOT "/data");
  ASSERT_FALSE(scenario);
  const std::string& message = scenario.error().message;
  EXPECT_NE(message.find("n.toml:1: site.cloud_region: of 'a' is missing, but network.fee goes by "
                         "it; there are: us-east-1 us-east-2"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("n.toml:9: site.cloud_region: network.fee has no region 'eu-wst-1'"),
            std::string::npos);
  EXPECT_TRUE(message.ends_with("; did you mean 'eu-west-1'?"));
}

TEST(NetworkSection, tells_every_problem_at_once) {
  EXPECT_EQ(network_error("[network]\nenergy = '0.06'\nfee = '1 EUR/MWh'\nspeed = 3\n"
                          "[[network.link]]\nfrom = 'berlin'\nto = 'dalas'\nthroughput = '0 Mbps'\n"
                          "[[network.link]]\nfrom = 'berlin'\nto = 'berlin'\nboth = 'no'\n"
                          "[[network.link]]\nfrom = 'dallas'\nround_trip = '70'\n"),
            "n.toml:10: network.energy: '0.06' has no unit; the energy of a transfer can be in: "
            "kWh/GB Wh/GB\n"
            "n.toml:11: network.fee: unknown unit 'EUR/MWh'; a fee can be in: EUR/GB EUR/TB USD/GB "
            "USD/TB (or another currency)\n"
            "n.toml:12: network.speed: unknown key; possible here: energy link fee\n"
            "n.toml:15: network.link.to: there is no site 'dalas'; there are: berlin dallas; did "
            "you mean 'dallas'?\n"
            "n.toml:16: network.link.throughput: must be more than 0 and at most 1000000 Gbps; "
            "possible: closed = true where nothing may be sent\n"
            "n.toml:19: network.link.to: is where it comes from\n"
            "n.toml:20: network.link.both: must be true or false, not text\n"
            "n.toml:21: network.link.to: is missing; the name of a site\n"
            "n.toml:23: network.link.round_trip: '70' has no unit; a time can be in: ms s min h d "
            "weeks");
}

TEST(NetworkSection, every_pair_must_be_joined_once) {
  const std::string lima = site("lima", "region = 'SA'\n");
  EXPECT_EQ(network_error(lima + "[network]\n"),
            "n.toml:13: network: nothing says how files get from 'berlin' to 'lima'; possible: "
            "site.region of both (the built-in table has no EU-SA), or a [[network.link]] with "
            "throughput and round_trip");
  const std::string link =
      "[[network.link]]\nfrom = 'lima'\nto = 'berlin'\nthroughput = '60 Mbps'\nround_trip = '0.2 "
      "s'\n";
  EXPECT_EQ(network_error(lima + link), "no error");
  EXPECT_EQ(network_error(lima + link + link),
            "n.toml:20: network.link.to: there are two links from 'lima' to 'berlin'\n"
            "n.toml:20: network.link.to: there are two links from 'berlin' to 'lima'");
}

TEST(NetworkSection, fees_are_in_the_currency_of_the_scenario_or_converted) {
  EXPECT_EQ(network_error("[network]\nfee = '0.02 USD/GB'\n[costs]\ncurrency = 'EUR'\n"),
            "n.toml:10: network.fee: is in USD, but costs.currency says EUR; currencies are never "
            "mixed: convert the series first, or say in costs.exchange what a USD is worth");
  const auto scenario = with_network(
      "[network]\nfee = '0.02 USD/GB'\n[costs]\ncurrency = 'EUR'\nexchange = { USD = 0.5 }\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->cluster.network.fee(kBerlin, kDallas, 3), Money(0.03));
  EXPECT_TRUE(
      std::ranges::find(scenario->notes, "a USD counts as 0.5 EUR, as costs.exchange says") !=
      scenario->notes.end());
}

TEST(FeeMatrix, says_what_is_wrong_with_its_file) {
  EXPECT_EQ(parse_fees("region,a,b\na,0,1\n", "f.csv")->fees.size(), 2u);
  EXPECT_EQ(parse_fees("region,a\na,x\n", "f.csv").error().message,
            "f.csv:2: a: 'x' is not a finite number");
  EXPECT_EQ(parse_fees("region,a\na,-1\n", "f.csv").error().message,
            "f.csv:2: a: a fee of -1 is negative");
  EXPECT_EQ(parse_fees("region,a\na,1,2\n", "f.csv").error().message,
            "f.csv:2: has not as many cells as the head");
  EXPECT_EQ(parse_fees("region,a\na,1\na,2\n", "f.csv").error().message,
            "f.csv:3: there are two fees from 'a' to 'a'");
  EXPECT_EQ(parse_fees("region,a\n", "f.csv").error().message, "f.csv: has no fees");
}

}  // namespace
}  // namespace penstock
