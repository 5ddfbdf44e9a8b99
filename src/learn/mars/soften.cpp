#include "learn/mars/soften.h"

#include "base/check.h"
#include "learn/net/categorical.h"

namespace penstock {
namespace {

double mean_entropy(const Windows& windows, std::span<const float> logits, double temperature) {
  Categorical chances;
  std::vector<double> cooled(logits.begin(), logits.end());
  for (double& logit : cooled) logit /= temperature;
  double sum = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    PENSTOCK_CHECK(chances.set(windows.of(w, std::span<const double>(cooled))));
    sum += chances.entropy();
  }
  return sum / static_cast<double>(windows.size());
}

/// The last layer's weights and bias: logits are linear in them.
void divide_last_layer(Parameters& actor, double by) {
  const std::vector<Tensor>& tensors = actor.tensors.all();
  for (std::size_t t = tensors.size() - 2; t < tensors.size(); ++t)
    for (std::size_t i = 0; i < tensors[t].size(); ++i) {
      float& value = actor.values[tensors[t].offset + i];
      value = static_cast<float>(value / by);
    }
}

}  // namespace

double mean_entropy(const ActorCritic& net, const Windows& windows) {
  std::vector<float> logits;
  net.logits(windows, logits);
  return mean_entropy(windows, logits, 1);
}

void soften(ActorCritic& net, const Windows& windows, double nats) {
  std::vector<float> logits;
  net.logits(windows, logits);
  double low = 1;
  double high = 1;
  constexpr double kHottest = 1e6;
  while (mean_entropy(windows, logits, high) < nats && high < kHottest) high *= 2;
  if (high == low) return;
  for (int step = 0; step < 20; ++step) {
    const double middle = (low + high) / 2;
    (mean_entropy(windows, logits, middle) < nats ? low : high) = middle;
  }
  divide_last_layer(net.actor, high);
}

}  // namespace penstock
