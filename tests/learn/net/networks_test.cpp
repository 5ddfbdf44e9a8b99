#include "learn/net/networks.h"

#include "learn/net/finite_differences.h"

namespace penstock {
namespace {

class EveryActor : public testing::TestWithParam<ActorKind> {
 protected:
  NetShape shape() const { return {GetParam(), DrawnBatch::kFeatures, DrawnBatch::kGlobals}; }
};

TEST_P(EveryActor, has_the_slopes_that_differences_say) {
  Tensors tensors;
  const ActorNet<double> net(tensors, shape());
  expect_gradient(net, tensors.size(), 1);
}

TEST_P(EveryActor, answers_the_same_to_a_window_alone_and_among_others) {
  Tensors tensors;
  const ActorNet<double> net(tensors, shape());
  const std::vector<double> values = normal_draws(tensors.size(), Rng(5));
  const DrawnBatch drawn(Rng(6));
  ActorNet<double>::Tape tape;
  const Matrix<double> all = net.forward(values.data(), drawn.batch(), tape);
  const std::vector<std::uint32_t> alone{0, 5};
  const WindowBatch<double> last{
      {drawn.items.data() + 4 * DrawnBatch::kFeatures, DrawnBatch::kFeatures, 5},
      {drawn.globals.data(), DrawnBatch::kGlobals, 1},
      alone};
  ActorNet<double>::Tape other;
  EXPECT_TRUE(all.rightCols(5).isApprox(net.forward(values.data(), last, other), 1e-12));
}

TEST_P(EveryActor, does_not_mind_the_order_of_items) {
  Tensors tensors;
  const ActorNet<double> net(tensors, shape());
  const std::vector<double> values = normal_draws(tensors.size(), Rng(7));
  DrawnBatch drawn(Rng(8));
  ActorNet<double>::Tape tape;
  const Matrix<double> before = net.forward(values.data(), drawn.batch(), tape);
  std::swap_ranges(drawn.items.begin(), drawn.items.begin() + DrawnBatch::kFeatures,
                   drawn.items.begin() + 2 * DrawnBatch::kFeatures);
  const Matrix<double> after = net.forward(values.data(), drawn.batch(), tape);
  EXPECT_NEAR(before(0, 0), after(0, 2), 1e-12);
  EXPECT_NEAR(before(0, 1), after(0, 1), 1e-12);
  EXPECT_NEAR(before(0, 2), after(0, 0), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(ActorNet, EveryActor,
                         testing::Values(ActorKind::kernel, ActorKind::attention));

TEST(ActorNet, attends_only_to_items_of_the_same_window) {
  Tensors tensors;
  const ActorNet<double> net(tensors, {ActorKind::attention, DrawnBatch::kFeatures, 0});
  const std::vector<double> values = normal_draws(tensors.size(), Rng(9));
  DrawnBatch drawn(Rng(10));
  ActorNet<double>::Tape tape;
  const Matrix<double> before = net.forward(values.data(), drawn.batch(), tape);
  drawn.items.back() += 1;  // of the last window
  const Matrix<double> after = net.forward(values.data(), drawn.batch(), tape);
  EXPECT_EQ(before.leftCols(4), after.leftCols(4));
  EXPECT_NE(before(0, 5), after(0, 5));
}

TEST(CriticNet, has_the_slopes_that_differences_say) {
  Tensors tensors;
  const CriticNet<double> net(tensors,
                              {ActorKind::kernel, DrawnBatch::kFeatures, DrawnBatch::kGlobals});
  expect_gradient(net, tensors.size(), 2);
}

TEST(CriticNet, needs_no_features_of_the_whole) {
  Tensors tensors;
  const CriticNet<double> net(tensors, {ActorKind::kernel, 1, 0});
  const std::vector<double> values = normal_draws(tensors.size(), Rng(3));
  const std::vector<double> items{1, 2, 3};
  const std::vector<std::uint32_t> starts{0, 2, 3};
  CriticNet<double>::Tape tape;
  const WindowBatch<double> batch{{items.data(), 1, 3}, {nullptr, 0, 2}, starts};
  EXPECT_EQ(net.forward(values.data(), batch, tape).cols(), 2);
}

TEST(CriticNet, does_not_mind_the_order_of_items) {
  Tensors tensors;
  const CriticNet<double> net(tensors,
                              {ActorKind::kernel, DrawnBatch::kFeatures, DrawnBatch::kGlobals});
  const std::vector<double> values = normal_draws(tensors.size(), Rng(4));
  DrawnBatch drawn(Rng(5));
  CriticNet<double>::Tape tape;
  const Matrix<double> before = net.forward(values.data(), drawn.batch(), tape);
  std::swap_ranges(drawn.items.begin(), drawn.items.begin() + DrawnBatch::kFeatures,
                   drawn.items.begin() + 2 * DrawnBatch::kFeatures);
  EXPECT_TRUE(before.isApprox(net.forward(values.data(), drawn.batch(), tape), 1e-12));
}

}  // namespace

}  // namespace penstock
