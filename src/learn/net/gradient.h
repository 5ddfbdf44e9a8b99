#pragma once

#include <algorithm>
#include <utility>

#include "base/in_parallel.h"
#include "learn/net/actor_critic.h"
#include "learn/net/losses.h"
#include "learn/net/networks.h"

namespace penstock {

/// Windows go through a network in chunks of about this many items, so that activations stay in the
/// cache and need little memory for any number of windows.
inline constexpr std::size_t kChunkItems = 256;

inline WindowBatch<float> batch_of(const Windows& windows) {
  return {{windows.items().data(), windows.item_features(), as_index(windows.count())},
          {windows.globals().data(), windows.global_features(), as_index(windows.size())},
          windows.starts()};
}

/// Calls `visit(chunk, its samples)` for chunk after chunk of the chosen windows.
template <class Visit>
void for_each_chunk(const Windows& windows, std::span<const std::uint32_t> samples, Visit visit) {
  Windows chunk(windows.item_features(), windows.global_features());
  std::size_t first = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    chunk.add(windows[samples[i]]);
    if (i + 1 < samples.size() && chunk.count() < kChunkItems) continue;
    visit(std::as_const(chunk), samples.subspan(first, chunk.size()));
    first = i + 1;
    chunk.clear();
  }
}

/// Divides samples into lanes that can be worked on in parallel. Lanes depend on the samples alone,
/// so sums over lanes, taken in order, have the same bits for any number of threads.
inline std::vector<std::span<const std::uint32_t>> divide(const Windows& windows,
                                                          std::span<const std::uint32_t> samples) {
  constexpr std::size_t kMost = 8;
  std::size_t items = 0;
  for (const std::uint32_t s : samples) items += windows.count(s);
  const std::size_t lanes = std::clamp<std::size_t>(items / (4 * kChunkItems), 1, kMost);
  std::vector<std::span<const std::uint32_t>> parts;
  for (std::size_t l = 0; l < lanes; ++l) {
    const std::size_t first = samples.size() * l / lanes;
    parts.push_back(samples.subspan(first, samples.size() * (l + 1) / lanes - first));
  }
  return parts;
}

/// Some windows to learn from, by their numbers.
struct Samples {
  const Windows& windows;
  std::span<const std::uint32_t> chosen{};
  std::uint32_t threads = 1;
};

/// Computes the gradient of a loss with respect to a network's parameters, and returns sums over
/// the samples. `answer(answers, chunk, numbers, slopes)` writes the derivative of the loss with
/// respect to each of the network's answers and returns the sums of its chunk; `Sums` has `+=`. The
/// bits are the same for any number of threads.
template <class Sums, class Net, class AnswerLoss>
Sums sum_gradient(const Net& net, const Parameters& parameters, const Samples& samples,
                  const AnswerLoss& answer, std::vector<float>& gradient) {
  const auto lanes = divide(samples.windows, samples.chosen);
  std::vector<std::vector<float>> gradients(lanes.size());
  std::vector<Sums> sums(lanes.size());
  in_parallel(lanes.size(), samples.threads, [&](std::size_t l) {
    gradients[l].assign(parameters.values.size(), 0);
    typename Net::Tape tape;
    Matrix<float> slopes;
    for_each_chunk(samples.windows, lanes[l], [&](const Windows& chunk, auto numbers) {
      const float* values = parameters.values.data();
      const WindowBatch<float> batch = batch_of(chunk);
      const Matrix<float>& answers = net.forward(values, batch, tape);
      slopes.setZero(1, answers.cols());
      sums[l] += answer(std::span(answers.data(), as_size(answers.size())), chunk, numbers,
                        std::span(slopes.data(), as_size(slopes.size())));
      net.backward(values, batch, tape, slopes, gradients[l].data());
    });
  });
  gradient.assign(parameters.values.size(), 0);
  for (std::size_t l = 1; l < lanes.size(); ++l) sums[0] += sums[l];
  for (const std::vector<float>& part : gradients)
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += part[i];
  return sums[0];
}

/// sum_gradient() of an actor: `loss(sample, chances, slopes)` is called for every window. Where
/// the probabilities are not finite, the sum is `Sums::undefined()`.
template <class Sums, class Loss>
Sums actor_gradient(const ActorCritic& net, const Samples& samples, const Loss& loss,
                    std::vector<float>& gradient) {
  const auto answer = [&](std::span<const float> logits, const Windows& chunk,
                          std::span<const std::uint32_t> numbers, std::span<float> slopes) {
    Sums sums{};
    Categorical now;
    for (std::size_t w = 0; w < numbers.size(); ++w) {
      if (!now.set(chunk.of(w, logits), chunk[w].barred)) return Sums::undefined();
      sums += loss(numbers[w], now, chunk.of(w, slopes));
    }
    return sums;
  };
  Tensors scratch;
  return sum_gradient<Sums>(ActorNet<float>(scratch, net.shape()), net.actor, samples, answer,
                            gradient);
}

/// sum_gradient() of a critic: `loss(sample, value)` is a LossAndSlope; returns the sum of losses.
template <class Loss>
double critic_gradient(const ActorCritic& net, const Samples& samples, const Loss& loss,
                       std::vector<float>& gradient) {
  const auto answer = [&](std::span<const float> values, const Windows& /*chunk*/,
                          std::span<const std::uint32_t> numbers, std::span<float> slopes) {
    double sum = 0;
    for (std::size_t w = 0; w < numbers.size(); ++w) {
      const LossAndSlope one = loss(numbers[w], double{values[w]});
      sum += one.loss;
      slopes[w] = static_cast<float>(one.slope);
    }
    return sum;
  };
  Tensors scratch;
  return sum_gradient<double>(CriticNet<float>(scratch, net.shape()), net.critic, samples, answer,
                              gradient);
}

}  // namespace penstock
