#include "learn/net/layers.h"

#include "learn/net/finite_differences.h"

namespace penstock {
namespace {

TEST(Dense, weighs_adds_and_bends) {
  Tensors tensors;
  const Dense<double> layer(tensors, "layer", {2, 2}, Activation::relu);
  const std::vector<double> parameters{1, 3, 2, -4, 10, 0};  // weights input by input, then biases
  const std::vector<double> x{1, 1};
  Matrix<double> y;
  layer.forward(parameters.data(), ConstColumns<double>(x.data(), 2, 1), y);
  EXPECT_EQ(y(0, 0), 1 + 2 + 10);
  EXPECT_EQ(y(1, 0), 0);  // 3 - 4, cut off
}

TEST(Dense, answers_with_the_same_bits_alone_and_among_others) {
  Tensors tensors;
  const Dense<float> layer(tensors, "layer", {10, 27}, Activation::relu);  // blocks of 16, 8, 1
  std::vector<float> parameters(tensors.size());
  Rng rng(1);
  for (float& v : parameters) v = static_cast<float>(rng.normal(0, 1));
  Matrix<float> x(10, 7);
  for (Index c = 0; c < x.cols(); ++c)
    for (Index r = 0; r < x.rows(); ++r) x(r, c) = static_cast<float>(rng.normal(0, 1));
  Matrix<float> all;
  layer.forward(parameters.data(), x, all);
  for (Index c = 0; c < x.cols(); ++c) {
    Matrix<float> alone;
    layer.forward(parameters.data(), x.col(c), alone);
    EXPECT_EQ(alone, all.col(c));
  }
}

TEST(Dense, does_not_hide_what_is_not_a_number) {
  Tensors tensors;
  const Dense<float> layer(tensors, "layer", {1, 8}, Activation::relu);
  const std::vector<float> parameters(tensors.size(), NAN);
  Matrix<float> y;
  layer.forward(parameters.data(), Matrix<float>::Ones(1, 1), y);
  EXPECT_TRUE(std::isnan(y(3, 0)));
}

TEST(Dense, names_its_tensors_in_one_flat_vector) {
  Tensors tensors;
  const Dense<double> first(tensors, "first", {3, 2}, Activation::none);
  const Dense<double> second(tensors, "second", {2, 1}, Activation::none);
  ASSERT_EQ(tensors.all().size(), 4u);
  EXPECT_EQ(tensors.all()[2].name, "second.weight");
  EXPECT_EQ(tensors.all()[2].offset, 8u);
  EXPECT_EQ(tensors.size(), 11u);
}

class EveryActivation : public testing::TestWithParam<Activation> {};

TEST_P(EveryActivation, has_the_slopes_that_differences_say) {
  Tensors tensors;
  const Dense<double> layer(tensors, "layer", {3, 4}, GetParam());
  std::vector<double> parameters = normal_draws(tensors.size(), Rng(1));
  std::vector<double> x = normal_draws(15, Rng(2));
  const std::vector<double> weights = normal_draws(20, Rng(3));
  const ConstColumns<double> slopes(weights.data(), 4, 5);
  const auto loss = [&] {
    Matrix<double> y;
    layer.forward(parameters.data(), ConstColumns<double>(x.data(), 3, 5), y);
    return y.cwiseProduct(slopes).sum();
  };
  Matrix<double> y;
  layer.forward(parameters.data(), ConstColumns<double>(x.data(), 3, 5), y);
  Matrix<double> dy = slopes;
  Matrix<double> dx;
  std::vector<double> gradient(tensors.size(), 0);
  layer.backward(parameters.data(), ConstColumns<double>(x.data(), 3, 5), y, dy, gradient.data(),
                 &dx);
  expect_slopes(loss, parameters, gradient);
  expect_slopes(loss, x, {dx.data(), as_size(dx.size())});
}

INSTANTIATE_TEST_SUITE_P(Dense, EveryActivation,
                         testing::Values(Activation::none, Activation::relu, Activation::tanh));

TEST(Dense, begins_orthogonal) {
  Tensors tensors;
  const Dense<double> tall(tensors, "tall", {3, 5}, Activation::none);
  std::vector<double> parameters(tensors.size(), 7);
  tall.initialise(parameters, 2, Rng(4));
  const Eigen::Map<const Eigen::Matrix<double, 5, 3>> weight(parameters.data());
  EXPECT_TRUE((weight.transpose() * weight).isApprox(4 * Eigen::Matrix3d::Identity(), 1e-12));
  EXPECT_EQ(parameters.back(), 0);  // no bias
}

TEST(Mlp, has_the_slopes_that_differences_say) {
  Tensors tensors;
  const Mlp<double> net(tensors, "net", 3, {6, 5, 2}, Activation::tanh);
  std::vector<double> parameters = normal_draws(tensors.size(), Rng(1));
  std::vector<double> x = normal_draws(12, Rng(2));
  const std::vector<double> weights = normal_draws(8, Rng(3));
  const Matrix<double> slopes = ConstColumns<double>(weights.data(), 2, 4);
  const auto loss = [&] {
    Mlp<double>::Tape tape;
    return net.forward(parameters.data(), ConstColumns<double>(x.data(), 3, 4), tape)
        .cwiseProduct(slopes)
        .sum();
  };
  Mlp<double>::Tape tape;
  net.forward(parameters.data(), ConstColumns<double>(x.data(), 3, 4), tape);
  std::vector<double> gradient(tensors.size(), 0);
  Matrix<double> dx;
  net.backward(parameters.data(), ConstColumns<double>(x.data(), 3, 4), tape, slopes,
               gradient.data(), &dx);
  expect_slopes(loss, parameters, gradient);
  expect_slopes(loss, x, {dx.data(), as_size(dx.size())});
}

TEST(Mlp, calls_its_layers_by_number) {
  Tensors tensors;
  const Mlp<float> net(tensors, "net", 3, {6, 1});
  EXPECT_EQ(tensors.all()[0].name, "net.0.weight");
  EXPECT_EQ(tensors.all()[3].name, "net.1.bias");
}

}  // namespace

}  // namespace penstock
