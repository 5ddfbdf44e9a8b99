#include "learn/net/critic_net.h"

#include "learn/net/finite_differences.h"

namespace penstock {
namespace {

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
