#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "learn/net/network_templates.h"

namespace penstock {

/// Fails where a gradient is not what central differences say.
inline void expect_slopes(const std::function<double()>& loss, std::span<double> variables,
                          std::span<const double> gradient) {
  constexpr double kStep = 1e-6;
  ASSERT_EQ(variables.size(), gradient.size());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const double kept = variables[i];
    variables[i] = kept + kStep;
    const double above = loss();
    variables[i] = kept - kStep;
    const double below = loss();
    variables[i] = kept;
    const double slope = (above - below) / (2 * kStep);
    EXPECT_NEAR(gradient[i], slope, 1e-7 * std::max(1.0, std::abs(slope))) << "of number " << i;
  }
}

inline std::vector<double> normal_draws(std::size_t count, Rng rng) {
  std::vector<double> all(count);
  for (double& v : all) v = rng.normal(0, 1);
  return all;
}

/// Windows of 3, 0, 1 and 5 items, of 4 features, with 2 of their own each.
class DrawnBatch {
 public:
  explicit DrawnBatch(Rng rng)
      : items(normal_draws(std::size_t{kItems} * kFeatures, rng.stream("items"))),
        globals(normal_draws(std::size_t{kWindows} * kGlobals, rng.stream("globals"))) {}

  WindowBatch<double> batch() const {
    return {{items.data(), kFeatures, kItems}, {globals.data(), kGlobals, kWindows}, starts};
  }

  static constexpr int kItems = 9;
  static constexpr int kFeatures = 4;
  static constexpr int kWindows = 4;
  static constexpr int kGlobals = 2;
  std::vector<double> items;
  std::vector<double> globals;
  std::vector<std::uint32_t> starts{0, 3, 3, 4, 9};
};

/// Of a network with one answer a column: any weighted sum of its answers has the gradient that
/// differences say, at parameters drawn by chance.
template <class Net>
void expect_gradient(const Net& net, std::size_t parameters, std::uint64_t seed) {
  const DrawnBatch drawn(Rng(seed).stream("batch"));
  std::vector<double> values = normal_draws(parameters, Rng(seed).stream("parameters"));
  for (double& v : values) v *= 0.5;
  typename Net::Tape tape;
  const Index answers = net.forward(values.data(), drawn.batch(), tape).cols();
  const auto weights = normal_draws(as_size(answers), Rng(seed).stream("weights"));
  const Matrix<double> slopes = ConstColumns<double>(weights.data(), 1, answers);
  std::vector<double> gradient(parameters, 0);
  net.backward(values.data(), drawn.batch(), tape, slopes, gradient.data());
  const auto loss = [&] {
    typename Net::Tape other;
    return net.forward(values.data(), drawn.batch(), other).cwiseProduct(slopes).sum();
  };
  expect_slopes(loss, values, gradient);
}

}  // namespace penstock
