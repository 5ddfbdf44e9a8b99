#include <algorithm>
#include <cmath>

#include "learn/net/ppo.h"

namespace penstock {
namespace {

constexpr const char* kProgress = "ppo.progress";  ///< updates made, and the state of chance

void store_memory(const Adam& adam, const std::string& name, Weights& weights) {
  const std::uint64_t size = adam.mean().size();
  const auto copy = [](std::span<const float> v) { return std::vector<float>(v.begin(), v.end()); };
  weights.tensors[name + ".mean"] = {{size}, copy(adam.mean())};
  weights.tensors[name + ".square"] = {{size}, copy(adam.square())};
  weights.tensors[name + ".steps"] = {{1}, std::vector<std::uint64_t>{adam.steps()}};
}

Result<Adam> load_memory(const Weights& weights, const std::string& name, std::size_t size) {
  Adam adam(size);
  const Adam::Memory memory = adam.memory();
  const auto mean = stored_values<float>(weights, name + ".mean", {size});
  if (!mean) return mean.error();
  const auto square = stored_values<float>(weights, name + ".square", {size});
  if (!square) return square.error();
  const auto steps = stored_values<std::uint64_t>(weights, name + ".steps", {1});
  if (!steps) return steps.error();
  const auto finite = [](float v) { return std::isfinite(v); };
  const auto sound = [](float v) { return std::isfinite(v) && v >= 0; };
  if (!std::ranges::all_of(*mean, finite) || !std::ranges::all_of(*square, sound))
    return Error{name + ": holds what is not a mean and a mean square"};
  std::ranges::copy(*mean, memory.mean.begin());
  std::ranges::copy(*square, memory.square.begin());
  memory.steps = steps->front();
  return adam;
}

}  // namespace

void Ppo::store(Weights& weights) const {
  state_.net.store(weights);
  store_memory(state_.actor, "adam.actor", weights);
  store_memory(state_.critic, "adam.critic", weights);
  weights.tensors[kProgress] = {{2},
                                std::vector<std::uint64_t>{state_.updates, state_.rng.state()}};
}

Result<Ppo> Ppo::load(const Weights& weights, const PpoSettings& settings) {
  auto net = ActorCritic::load(weights);
  if (!net) return std::move(net).error();
  auto actor = load_memory(weights, "adam.actor", net->actor.values.size());
  if (!actor) return std::move(actor).error();
  auto critic = load_memory(weights, "adam.critic", net->critic.values.size());
  if (!critic) return std::move(critic).error();
  const auto progress = stored_values<std::uint64_t>(weights, kProgress, {2});
  if (!progress) return progress.error();
  return Ppo(State{.net = *std::move(net),
                   .actor = *std::move(actor),
                   .critic = *std::move(critic),
                   .rng = Rng((*progress)[1]),
                   .updates = (*progress)[0]},
             settings);
}

}  // namespace penstock
