#include "learn/net/optimiser.h"

#include <cmath>

namespace penstock {

void Adam::step(std::span<float> parameters, std::span<const float> gradient, double rate) {
  constexpr float kForgetMean = 0.1F;
  constexpr float kForgetSquare = 0.001F;
  constexpr float kLeast = 1e-8F;
  ++steps_;
  const auto steps = static_cast<double>(steps_);
  const double unbias_mean = 1 - std::pow(1 - double{kForgetMean}, steps);
  const double unbias_square = std::sqrt(1 - std::pow(1 - double{kForgetSquare}, steps));
  const auto scaled = static_cast<float>(rate * unbias_square / unbias_mean);
  const auto least = static_cast<float>(kLeast * unbias_square);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float g = gradient[i];
    mean_[i] += kForgetMean * (g - mean_[i]);
    square_[i] += kForgetSquare * (g * g - square_[i]);
    parameters[i] -= scaled * mean_[i] / (std::sqrt(square_[i]) + least);
  }
}

double clip_length(std::span<float> gradient, double most) {
  double sum = 0;
  for (const float g : gradient) sum += double{g} * g;
  const double length = std::sqrt(sum);
  if (most > 0 && length > most) {
    const auto factor = static_cast<float>(most / length);
    for (float& g : gradient) g *= factor;
  }
  return length;
}

}  // namespace penstock
