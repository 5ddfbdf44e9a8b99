#include "learn/net/actor_critic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace penstock {
namespace {

Windows drawn(std::uint32_t count, Rng rng) {
  Windows windows(3, 2);
  for (std::uint32_t w = 0; w < count; ++w) {
    std::vector<float> items(3 * rng.below(40));
    for (float& v : items) v = static_cast<float>(rng.uniform());
    const std::vector<float> globals{static_cast<float>(rng.uniform()), 1};
    windows.add({.items = items, .globals = globals});
  }
  return windows;
}

class EveryNet : public testing::TestWithParam<ActorKind> {
 protected:
  ActorCritic net{{GetParam(), 3, 2}, Rng(1)};
};

TEST_P(EveryNet, answers_for_every_item_and_every_window_however_many) {
  const Windows windows = drawn(300, Rng(2));  // more than go through at once
  std::vector<float> logits;
  std::vector<float> values;
  net.logits(windows, logits);
  net.values(windows, values);
  ASSERT_EQ(logits.size(), windows.count());
  ASSERT_EQ(values.size(), windows.size());
  Windows last(3, 2);
  last.add(windows[299]);
  std::vector<float> alone;
  net.logits(last, alone);
  const auto among = windows.of(299, std::span<const float>(logits));
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone[i], among[i]);
  net.values(last, alone);
  EXPECT_EQ(alone[0], values[299]);
}

TEST_P(EveryNet, has_no_answer_for_no_window) {
  std::vector<float> out{1};
  net.logits(Windows(3, 2), out);
  EXPECT_TRUE(out.empty());
  net.values(Windows(3, 2), out);
  EXPECT_TRUE(out.empty());
}

TEST_P(EveryNet, comes_back_from_its_file_bit_for_bit) {
  net.scale.add(3);
  net.scale.add(8);
  Weights weights;
  net.store(weights);
  const auto decoded = decode_weights(encode_weights(weights));
  ASSERT_TRUE(decoded);
  const auto again = ActorCritic::load(*decoded);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->shape(), net.shape());
  std::vector<float> before;
  std::vector<float> after;
  net.logits(drawn(9, Rng(3)), before);
  again->logits(drawn(9, Rng(3)), after);
  EXPECT_EQ(before, after);
  net.values(drawn(9, Rng(3)), before);
  again->values(drawn(9, Rng(3)), after);
  EXPECT_EQ(before, after);
}

INSTANTIATE_TEST_SUITE_P(ActorCritic, EveryNet,
                         testing::Values(ActorKind::kernel, ActorKind::attention));

TEST(ActorCritic, is_not_loaded_from_a_file_of_something_else) {
  Weights good;
  ActorCritic({ActorKind::kernel, 3, 2}, Rng(1)).store(good);
  const auto complaint = [&](auto spoil) {
    Weights bad = good;
    spoil(bad);
    const auto net = ActorCritic::load(bad);
    return net ? "none" : net.error().message;
  };
  EXPECT_EQ(complaint([](Weights& w) { w.metadata.clear(); }),
            "net.kind: is missing from the metadata");
  EXPECT_EQ(complaint([](Weights& w) { w.metadata["net.kind"] = "lenet"; }),
            "net.kind: no 'lenet'; there are: kernel attention");
  EXPECT_EQ(complaint([](Weights& w) { w.metadata["net.item_features"] = "0"; }),
            "net.item_features: '0' is not a whole number from 1 to 4096");
  EXPECT_EQ(complaint([](Weights& w) { w.metadata["net.item_features"] = "4"; }),
            "actor.0.weight: has the shape [3, 32], but [4, 32] is needed");
  EXPECT_EQ(complaint([](Weights& w) { w.tensors.erase("critic.item.1.bias"); }),
            "critic.item.1.bias: there is no such tensor");
  EXPECT_EQ(complaint([](Weights& w) {
              std::get<0>(w.tensors["actor.3.bias"].values)[0] =
                  std::numeric_limits<float>::quiet_NaN();
            }),
            "actor.3.bias: holds what is not a finite number");
  EXPECT_EQ(complaint([](Weights& w) { std::get<1>(w.tensors["value.scale"].values)[0] = -1; }),
            "value.scale: is not a count, a mean and a spread");
}

TEST(ValueScale, knows_the_mean_and_spread_of_what_it_was_told) {
  ValueScale scale;
  EXPECT_EQ(scale.deviation(), 1);
  for (const double v : {1.0, 3.0, 5.0, 7.0}) scale.add(v);
  EXPECT_EQ(scale.mean, 4);
  EXPECT_NEAR(scale.deviation(), std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(scale.denormalise(scale.normalise(6)), 6, 1e-12);
}

}  // namespace
}  // namespace penstock
