#include "policy/policy_table.h"

#include <gtest/gtest.h>

#include <array>

#include "policy/place/one_site.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

/// Does nothing, and remembers how it was made.
class Made final : public Policy {
 public:
  explicit Made(std::string how) : how_(std::move(how)) {}
  Decision decide(const View& /*view*/) override { return {.reason = how_}; }
  const std::string& how() const { return how_; }

 private:
  std::string how_;
};

const std::string& how(const Policy& policy) {
  return dynamic_cast<const Made&>(policy).how();
}

/// Its name and all that it was given.
Result<std::unique_ptr<Policy>> make_told(const PolicySetting& setting, std::string_view name,
                                          const Options& options) {
  std::string text(name);
  for (const auto& [key, value] : options) text += " " + key + "=" + value;
  if (setting.table == nullptr) text += " without a table";
  return std::unique_ptr<Policy>(std::make_unique<Made>(text));
}

Result<std::unique_ptr<Policy>> make_never(const PolicySetting& /*setting*/,
                                           std::string_view /*name*/, const Options& /*options*/) {
  return Error{"depth: '7' is too much"};
}

Result<std::unique_ptr<Policy>> clocked(const PolicySetting& /*setting*/, const std::string& text,
                                        std::unique_ptr<Policy> inner) {
  if (text == "bad") return Error{"clock: 'bad' is not possible"};
  return std::unique_ptr<Policy>(
      std::make_unique<Made>("clocked(" + text + ", " + how(*inner) + ")"));
}

std::unique_ptr<Policy> sleeping(const PolicySetting& /*setting*/, Duration after,
                                 std::unique_ptr<Policy> inner) {
  return std::make_unique<Made>("sleeping(" + std::to_string(after / 1min) + ", " + how(*inner) +
                                ")");
}

constexpr std::array<OptionSpec, 1> kDepth{{{"depth", "3", "a whole number"}}};

/// A plain policy, one that sets clocks, one with sites, one that shares GPUs and one that fails.
class PolicyTableTest : public testing::Test {
 protected:
  static std::vector<PolicyEntry> entries() {
    return {{"plain", "", kDepth, make_told, {}},
            {"fast", "", kDepth, make_told, {.sets_clocks = true}},
            {"far", "", kDepth, make_told, {.holds_sites = true}},
            {"parts", "", {}, make_told, {.shares_gpus = true}},
            {"never", "", kDepth, make_never, {}}};
  }
  std::string made(std::string_view name, const Options& options) const {
    const auto policy =
        table.make({.cluster = cluster, .costs = {.sleep_after = sleep_after}}, name, options);
    return policy ? how(**policy) : "error: " + policy.error().message;
  }
  std::string fault(std::string_view name, const Options& options) const {
    const auto checked = table.check(name, options);
    return checked ? "" : checked.error().message;
  }

  PolicyTable table{entries(), {}, {{"clock", "max", "a clock"}, clocked, sleeping}};
  Cluster cluster = cluster_of({{.count = 1, .gpus = 4}});
  std::optional<Duration> sleep_after{};
};

TEST_F(PolicyTableTest, finds_entries_by_their_whole_name) {
  ASSERT_NE(table.find("fast"), nullptr);
  EXPECT_EQ(table.find("fast")->name, "fast");
  EXPECT_EQ(table.find("fas"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
}

TEST_F(PolicyTableTest, offers_the_clock_of_every_policy_that_leaves_it_alone_last) {
  const auto names_of = [&](std::string_view policy) {
    std::string text;
    for (const OptionSpec& option : table.find(policy)->options)
      text.append(option.name).append(" ");
    return text;
  };
  EXPECT_EQ(names_of("plain"), "depth clock ");
  EXPECT_EQ(names_of("parts"), "clock ");
  EXPECT_EQ(names_of("fast"), "depth ");
  EXPECT_EQ(names_of("far"), "depth ");
}

TEST_F(PolicyTableTest, gives_a_value_to_every_option_that_was_not_given) {
  EXPECT_EQ(made("plain", {}), "clocked(max, plain clock=max depth=3)");
  EXPECT_EQ(made("plain", {{"depth", "5"}, {"clock", "900"}}),
            "clocked(900, plain clock=900 depth=5)");
  EXPECT_EQ(made("fast", {}), "fast depth=3");
}

TEST_F(PolicyTableTest, puts_sleep_around_all_but_those_whose_sites_do_it) {
  sleep_after = 5min;
  EXPECT_EQ(made("fast", {}), "sleeping(5, fast depth=3)");
  EXPECT_EQ(made("plain", {}), "sleeping(5, clocked(max, plain clock=max depth=3))");
  EXPECT_EQ(made("far", {}), "far depth=3");
}

TEST_F(PolicyTableTest, says_what_is_possible_instead_of_an_unknown_name) {
  EXPECT_EQ(fault("plan", {}), "no policy 'plan'; there are: plain fast far parts never");
  EXPECT_EQ(fault("plain", {{"dept", "5"}}),
            "policy 'plain' has no option 'dept'; there are: depth clock");
  EXPECT_EQ(fault("fast", {{"clock", "900"}}),
            "policy 'fast' has no option 'clock'; there are: depth");
}

TEST_F(PolicyTableTest, passes_options_for_sites_to_policies_that_have_them_only) {
  EXPECT_EQ(made("far", {{"site.depth", "5"}}), "far depth=3 site.depth=5");
  EXPECT_EQ(fault("plain", {{"site.depth", "5"}}),
            "policy 'plain' has no option 'site.depth'; there are: depth clock");
}

TEST_F(PolicyTableTest, names_the_policy_whose_option_is_bad) {
  EXPECT_EQ(fault("never", {}), "policy 'never': depth: '7' is too much");
  EXPECT_EQ(fault("plain", {{"clock", "bad"}}), "policy 'plain': clock: 'bad' is not possible");
}

TEST_F(PolicyTableTest, gives_shared_gpus_only_to_policies_that_place_parts) {
  cluster.share = 2;
  EXPECT_EQ(made("parts", {}), "clocked(max, parts clock=max)");
  EXPECT_EQ(made("far", {}), "far depth=3") << "its sites are asked, not it";
  EXPECT_EQ(made("plain", {}),
            "error: policy 'plain': places whole GPUs, and each is shared by 2 here; possible: "
            "nodes with share = 1, or a policy that places parts of GPUs: parts");
  EXPECT_EQ(fault("plain", {}), "") << "a check knows of no cluster";
}

TEST(PolicyTraits, are_all_listed_once) {
  EXPECT_EQ(all_policy_traits().size(), sizeof(PolicyTraits)) << "each is one bool";
  PolicyTraits traits;
  for (const PolicyTrait& trait : all_policy_traits()) {
    EXPECT_FALSE(traits.*trait.has) << trait.name << " is there twice";
    EXPECT_FALSE(trait.meaning.empty()) << trait.name;
    traits.*trait.has = true;
  }
}

TEST(OptionValues, of_numbers_begin_at_nought) {
  const Options given{{"a", "0"},  {"b", "2.5"}, {"c", "-1"}, {"d", "nan"},
                      {"e", "1 "}, {"f", ""},    {"g", "inf"}};
  EXPECT_EQ(*number_of(given, "a"), 0);
  EXPECT_EQ(*number_of(given, "b"), 2.5);
  EXPECT_EQ(number_of(given, "c").error().message, "c: '-1' is not a number from 0 up");
  for (const char* bad : {"d", "e", "f", "g"}) EXPECT_FALSE(number_of(given, bad)) << bad;
}

TEST(OptionValues, of_whole_numbers_begin_at_the_least) {
  const Options given{{"a", "2"}, {"b", "1"}, {"c", "2.5"}, {"d", "4294967296"}, {"e", "-2"}};
  EXPECT_EQ(*whole_of(given, "a", 2), 2u);
  EXPECT_EQ(whole_of(given, "b", 2).error().message, "b: '1' is not a whole number from 2 up");
  for (const char* bad : {"c", "d", "e"}) EXPECT_FALSE(whole_of(given, bad, 0)) << bad;
}

TEST(OptionValues, of_times_are_longer_than_nothing) {
  const Options given{{"a", "10 min"}, {"b", "0 s"}, {"c", "soon"}, {"d", "none"}};
  EXPECT_EQ(*duration_of(given, "a"), Duration(10min));
  EXPECT_EQ(duration_of(given, "b").error().message,
            "b: '0 s' is not a length of time such as '10 min'");
  EXPECT_FALSE(duration_of(given, "c"));
  EXPECT_FALSE(duration_of(given, "d")) << "none is possible only where it is said to be";
  EXPECT_EQ(*duration_or_none(given, "a"), std::optional<Duration>(10min));
  EXPECT_EQ(*duration_or_none(given, "d"), std::nullopt);
  EXPECT_FALSE(duration_or_none(given, "c"));
}

}  // namespace
}  // namespace penstock
