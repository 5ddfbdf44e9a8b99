#include "learn/net/cloning.h"

#include <gtest/gtest.h>

#include <limits>

namespace penstock {
namespace {

/// The teacher takes, of those it may, the item with the largest wait over length times a half of
/// its size: a rule like those of schedulers.
Demonstrations draw(std::uint32_t count, Rng rng) {
  Demonstrations all{.windows = Windows(3, 0)};
  for (std::uint32_t w = 0; w < count; ++w) {
    std::vector<float> items(3 * (2 + rng.below(10)));
    for (float& v : items) v = static_cast<float>(rng.uniform());
    std::vector<std::uint8_t> barred(items.size() / 3, 0);
    barred[rng.below(barred.size())] = 1;
    std::uint32_t best = 0;
    double most = -1;
    for (std::uint32_t i = 0; i < barred.size(); ++i) {
      const double rating =
          (0.1 + items[3 * i]) / (0.2 + items[3 * i + 1]) * (1 + items[3 * i + 2]);
      if (barred[i] == 1 || rating <= most) continue;
      best = i;
      most = rating;
    }
    all.windows.add({.items = items, .barred = barred});
    all.choices.push_back(best);
  }
  return all;
}

class EveryActorClones : public testing::TestWithParam<ActorKind> {};

TEST_P(EveryActorClones, agree_with_their_teacher_on_windows_they_never_saw) {
  ActorCritic net({GetParam(), 3, 0}, Rng(1));
  const Demonstrations seen = draw(4000, Rng(2).stream("seen"));
  const Demonstrations unseen = draw(1000, Rng(2).stream("unseen"));
  EXPECT_LT(agreement(net, unseen), 0.6);
  const auto report =
      clone_choices(net, seen, {.rate = 5e-3, .passes = 25, .minibatch = 200}, Rng(3));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->steps, 500u);
  EXPECT_GE(agreement(net, unseen), 0.95);
}

INSTANTIATE_TEST_SUITE_P(Cloning, EveryActorClones,
                         testing::Values(ActorKind::kernel, ActorKind::attention));

TEST(Cloning, leaves_the_actor_as_it_was_when_a_loss_is_not_a_number) {
  ActorCritic net({ActorKind::kernel, 3, 0}, Rng(1));
  const std::vector<float> before = net.actor.values;
  Demonstrations shown = draw(10, Rng(2));
  const std::vector<float> broken(6, std::numeric_limits<float>::infinity());
  shown.windows.add({.items = broken});
  shown.choices.push_back(0);
  const auto report = clone_choices(net, shown, {.minibatch = 4}, Rng(3));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message,
            "the loss of cloning or its gradient is not finite: nothing was changed");
  EXPECT_EQ(net.actor.values, before);
}

}  // namespace
}  // namespace penstock
