#include "learn/mars/ensemble.h"

#include <gtest/gtest.h>

#include "learn/mars/observation.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

Ensemble two_networks() {
  Ensemble ensemble{.about = {{"scenario", "some.toml"}}};
  ensemble.members.push_back({"f1", ActorCritic(observer_shape(ActorKind::kernel), Rng(1))});
  ensemble.members.push_back({"sjf", ActorCritic(observer_shape(ActorKind::attention), Rng(2))});
  ensemble.past = {{{.gap = 5s, .gpus = 2, .requested = 60s}}, {0.25, 1}};
  return ensemble;
}

/// The bytes with one text in place of another of the same length.
std::string with(std::string bytes, std::string_view old, std::string_view fresh) {
  EXPECT_EQ(old.size(), fresh.size());
  const std::size_t at = bytes.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return bytes.replace(at, old.size(), fresh);
}

TEST(Ensemble, is_the_same_after_a_file) {
  const Ensemble ensemble = two_networks();
  const std::string bytes = encode_ensemble(ensemble);
  const auto again = decode_ensemble(bytes);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->about, ensemble.about);
  EXPECT_EQ(again->past, ensemble.past);
  ASSERT_EQ(again->members.size(), 2u);
  EXPECT_EQ(again->members[1].name, "sjf");
  EXPECT_EQ(again->members[1].net.actor.values, ensemble.members[1].net.actor.values);
  EXPECT_EQ(encode_ensemble(*again), bytes);
}

TEST(Ensemble, of_other_features_is_refused) {
  const std::string bytes = encode_ensemble(two_networks());
  const auto other = decode_ensemble(with(bytes, "fan_out", "fan_off"));
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("features of an item"), std::string::npos);
  EXPECT_NE(other.error().message.find("train anew"), std::string::npos);
  const auto version = decode_ensemble(
      with(bytes, R"("penstock.feature_version":"1")", R"("penstock.feature_version":"0")"));
  ASSERT_FALSE(version);
  EXPECT_NE(version.error().message.find("version of features"), std::string::npos);
}

TEST(Ensemble, without_one_of_its_networks_is_refused) {
  const auto missing =
      decode_ensemble(with(encode_ensemble(two_networks()), R"("penstock.members":"f1 sjf")",
                           R"("penstock.members":"f1 wfp")"));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("network 'wfp'"), std::string::npos);
}

TEST(Ensemble, may_know_the_past_only) {
  const auto again = decode_ensemble(encode_ensemble({.past = {{{.gpus = 1}}, {}}}));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->members.empty());
  EXPECT_EQ(again->past.arrivals.size(), 1u);
}

TEST(Ensemble, remembers_who_waited_for_whom) {
  Ensemble ensemble{.past = {{{.gpus = 1}, {.gpus = 1}, {.gpus = 1}}, {}}};
  ensemble.past.arrivals[2].parents_back = {2, 1};
  const auto again = decode_ensemble(encode_ensemble(ensemble));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->past, ensemble.past);
  for (const std::uint32_t back : {0u, 3u}) {  // itself; before the first
    ensemble.past.arrivals[2].parents_back = {back};
    const auto wrong = decode_ensemble(encode_ensemble(ensemble));
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().message.find("past/parents: row 1"), std::string::npos);
  }
}

TEST(Ensemble, with_a_past_that_cannot_have_been_is_refused) {
  Ensemble ensemble = two_networks();
  ensemble.past.parts[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(decode_ensemble(encode_ensemble(ensemble)));
  ensemble = two_networks();
  ensemble.past.arrivals[0].gap = -1s;
  EXPECT_FALSE(decode_ensemble(encode_ensemble(ensemble)));
}

}  // namespace
}  // namespace penstock
