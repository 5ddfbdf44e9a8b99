#include "learn/net/mlp.h"

#include "learn/net/finite_differences.h"

namespace penstock {
namespace {

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
