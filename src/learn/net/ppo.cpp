#include "learn/net/ppo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/net/gradient.h"
#include "learn/net/optimiser.h"

namespace penstock {
namespace {

struct PolicySums {
  PolicyTerms terms{};
  PolicySums& operator+=(const PolicySums& other) {
    terms.loss += other.terms.loss;
    terms.entropy += other.terms.entropy;
    terms.divergence += other.terms.divergence;
    terms.clipped += other.terms.clipped;
    return *this;
  }
  static PolicySums undefined() { return {{.loss = NAN}}; }
};

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return sum / static_cast<double>(values.size());
}

std::vector<double> normalised(std::vector<double> values) {
  const double mean = mean_of(values);
  const double deviation = std::sqrt(variance_of(values));
  for (double& v : values) v = (v - mean) / (deviation + 1e-8);
  return values;
}

/// 1 if all of the returns' variance was foreseen, 0 if none; nothing is foreseen of a constant.
double explained(const Advantages& estimates) {
  const double variance = variance_of(estimates.returns);
  return variance > 0 ? 1 - variance_of(estimates.advantages) / variance : 0;
}

Error not_finite(const std::string& what, std::uint64_t update) {
  return Error{
      fmt::format("{} is not finite in update {}: nothing was changed by it", what, update + 1)};
}

constexpr const char* kPpoProgress = "ppo.progress";  ///< updates made, and the state of chance

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

/// What a rollout teaches.
struct Ppo::Targets {
  std::vector<double> advantages{};  ///< normalised
  std::vector<double> values{};      ///< of the critic, as scaled
};

Ppo::Ppo(const ActorCritic& net, const PpoSettings& settings, const Rng& rng)
    : Ppo(State{.net = net,
                .actor = Adam(net.actor.values.size()),
                .critic = Adam(net.critic.values.size()),
                .rng = rng},
          settings) {}

Ppo::Ppo(State state, const PpoSettings& settings)
    : settings_(settings), state_(std::move(state)) {}

Result<PpoReport> Ppo::update(const Rollout& rollout) {
  PENSTOCK_CHECK(rollout.size() > 0);
  const Advantages estimates = rollout.advantages(settings_.gamma, settings_.lambda);
  for (std::size_t s = 0; s < rollout.size(); ++s)
    if (!std::isfinite(estimates.returns[s]))
      return not_finite(fmt::format("the return of step {}", s), state_.updates);
  State before = state_;
  if (settings_.scale_values)
    for (const double r : estimates.returns) state_.net.scale.add(r);
  Targets targets{.advantages = normalised(estimates.advantages), .values = estimates.returns};
  for (double& target : targets.values) target = state_.net.scale.normalise(target);
  PpoReport report{.explained = explained(estimates)};
  auto done = improve_actor(rollout, targets, report);
  if (done) done = improve_critic(rollout, targets, report);
  if (!done) {
    state_ = std::move(before);
    return std::move(done).error();
  }
  ++state_.updates;
  return report;
}

Result<Done> Ppo::improve_actor(const Rollout& rollout, const Targets& targets, PpoReport& report) {
  const PolicyAims aims{.clip = settings_.clip, .entropy = settings_.entropy};
  const Passes passes{rollout.size(), settings_.minibatch, settings_.policy_iterations};
  std::vector<float> gradient;
  return for_each_minibatch(passes, state_.rng, [&](auto samples) -> Result<bool> {
    const double weight = 1 / static_cast<double>(samples.size());
    const auto loss = [&](std::uint32_t s, const Categorical& now, std::span<float> slopes) {
      const ChosenAction& taken = rollout.taken(s);
      return PolicySums{policy_loss(
          now, {taken.action, taken.log_probability, targets.advantages[s]}, aims, weight, slopes)};
    };
    const auto [sums] = actor_gradient<PolicySums>(
        state_.net, {rollout.windows(), samples, settings_.threads}, loss, gradient);
    report.policy_loss = sums.loss * weight;
    report.entropy = sums.entropy * weight;
    report.divergence = sums.divergence * weight;
    report.clipped = sums.clipped * weight;
    const double length = clip_length(gradient, settings_.longest_gradient);
    if (!std::isfinite(sums.loss) || !std::isfinite(length))
      return not_finite("the actor's loss or its gradient", state_.updates);
    if (settings_.target_divergence > 0 && report.divergence > 1.5 * settings_.target_divergence)
      return false;
    state_.actor.step(state_.net.actor.values, gradient, rate(settings_.policy_rate));
    ++report.policy_steps;
    return true;
  });
}

Result<Done> Ppo::improve_critic(const Rollout& rollout, const Targets& targets,
                                 PpoReport& report) {
  const Passes passes{rollout.size(), settings_.minibatch, settings_.value_iterations};
  std::vector<float> gradient;
  return for_each_minibatch(passes, state_.rng, [&](auto samples) -> Result<bool> {
    const double weight = 1 / static_cast<double>(samples.size());
    const auto loss = [&](std::uint32_t s, double value) {
      const LossAndSlope one = value_loss(settings_.value_loss, value, targets.values[s]);
      return LossAndSlope{one.loss, weight * one.slope};
    };
    report.value_loss =
        weight * critic_gradient(state_.net, {rollout.windows(), samples, settings_.threads}, loss,
                                 gradient);
    const double length = clip_length(gradient, settings_.longest_gradient);
    if (!std::isfinite(report.value_loss) || !std::isfinite(length))
      return not_finite("the critic's loss or its gradient", state_.updates);
    state_.critic.step(state_.net.critic.values, gradient, rate(settings_.value_rate));
    ++report.value_steps;
    return true;
  });
}

double Ppo::rate(double full) const {
  if (settings_.schedule == RateSchedule::constant) return full;
  const double all = std::max(1.0, static_cast<double>(settings_.updates));
  return full * std::max(0.0, 1 - static_cast<double>(state_.updates) / all);
}

void Ppo::store(Weights& weights) const {
  state_.net.store(weights);
  store_memory(state_.actor, "adam.actor", weights);
  store_memory(state_.critic, "adam.critic", weights);
  weights.tensors[kPpoProgress] = {{2},
                                   std::vector<std::uint64_t>{state_.updates, state_.rng.state()}};
}

Result<Ppo> Ppo::load(const Weights& weights, const PpoSettings& settings) {
  auto net = ActorCritic::load(weights);
  if (!net) return std::move(net).error();
  auto actor = load_memory(weights, "adam.actor", net->actor.values.size());
  if (!actor) return std::move(actor).error();
  auto critic = load_memory(weights, "adam.critic", net->critic.values.size());
  if (!critic) return std::move(critic).error();
  const auto progress = stored_values<std::uint64_t>(weights, kPpoProgress, {2});
  if (!progress) return progress.error();
  return Ppo(State{.net = *std::move(net),
                   .actor = *std::move(actor),
                   .critic = *std::move(critic),
                   .rng = Rng((*progress)[1]),
                   .updates = (*progress)[0]},
             settings);
}

}  // namespace penstock
