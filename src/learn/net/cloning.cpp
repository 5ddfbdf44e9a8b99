#include "learn/net/cloning.h"

#include <cmath>

#include "base/check.h"
#include "learn/net/gradient.h"
#include "learn/net/losses.h"
#include "learn/net/optimiser.h"

namespace penstock {
namespace {

struct CloningSums {
  double loss = 0;
  CloningSums& operator+=(const CloningSums& other) {
    loss += other.loss;
    return *this;
  }
  static CloningSums undefined() { return {NAN}; }
};

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

Result<CloningReport> clone_choices(ActorCritic& net, const Demonstrations& shown,
                                    const CloningSettings& settings, Rng rng) {
  const Windows& windows = shown.windows;
  const std::vector<std::uint32_t>& choices = shown.choices;
  PENSTOCK_CHECK(choices.size() == windows.size());
  const Parameters before = net.actor;
  Adam adam(net.actor.values.size());
  CloningReport report;
  std::vector<float> gradient;
  double sum = 0;
  const auto step = [&](std::span<const std::uint32_t> samples) -> Result<bool> {
    const double weight = 1 / static_cast<double>(samples.size());
    const auto loss = [&](std::uint32_t s, const Categorical& now, std::span<float> slopes) {
      return CloningSums{cloning_loss(now, choices[s], weight, slopes)};
    };
    sum +=
        actor_gradient<CloningSums>(net, {windows, samples, settings.threads}, loss, gradient).loss;
    const double length = clip_length(gradient, settings.longest_gradient);
    if (!std::isfinite(sum) || !std::isfinite(length))
      return Error{"the loss of cloning or its gradient is not finite: nothing was changed"};
    adam.step(net.actor.values, gradient, settings.rate);
    return true;
  };
  for (std::uint32_t pass = 0; pass < settings.passes; ++pass) {
    sum = 0;
    auto done = for_each_minibatch({windows.size(), settings.minibatch, 1}, rng, step);
    if (!done) {
      net.actor = before;
      return std::move(done).error();
    }
    report.loss = sum / static_cast<double>(std::max<std::size_t>(1, windows.size()));
  }
  report.steps = adam.steps();
  return report;
}

double agreement(const ActorCritic& net, const Demonstrations& shown) {
  const Windows& windows = shown.windows;
  const std::vector<std::uint32_t>& choices = shown.choices;
  std::vector<float> logits;
  net.logits(windows, logits);
  Categorical now;
  double same = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const bool told = now.set(windows.of(w, std::span<const float>(logits)), windows[w].barred);
    same += told && now.best() == choices[w] ? 1 : 0;
  }
  return windows.size() > 0 ? same / static_cast<double>(windows.size()) : 1;
}

double mean_entropy(const ActorCritic& net, const Windows& windows) {
  std::vector<float> logits;
  net.logits(windows, logits);
  return mean_entropy(windows, logits, 1);
}

void raise_entropy(ActorCritic& net, const Windows& windows, double nats) {
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
