// How many windows a second the networks look at, and how many samples PPO learns from.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "learn/net/losses.h"
#include "learn/net/ppo.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kFeatures = 10;
constexpr std::uint32_t kGlobals = 8;

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

std::vector<float> draw(std::size_t count, Rng& rng) {
  std::vector<float> all(count);
  for (float& v : all) v = static_cast<float>(rng.uniform());
  return all;
}

Windows make_windows(std::uint32_t worlds, std::uint32_t items) {
  Rng rng = Rng(1).stream("windows");
  Windows windows(kFeatures, kGlobals);
  for (std::uint32_t w = 0; w < worlds; ++w)
    windows.add(
        {.items = draw(std::size_t{items} * kFeatures, rng), .globals = draw(kGlobals, rng)});
  return windows;
}

/// Microseconds a window, the best of several goes.
template <class Ask>
double microseconds(std::uint32_t worlds, Ask ask) {
  double best = 1e9;
  for (int go = 0; go < 7; ++go) {
    const Clock::time_point begun = Clock::now();
    std::uint32_t times = 0;
    while (seconds_since(begun) < 0.03) {
      ask();
      times += worlds;
    }
    best = std::min(best, 1e6 * seconds_since(begun) / times);
  }
  return best;
}

void forward(const ActorCritic& net, const std::string& name) {
  std::vector<float> out;
  for (const std::uint32_t items : {16u, 128u, 512u})
    for (const std::uint32_t worlds : {1u, 8u, 64u}) {
      const Windows windows = make_windows(worlds, items);
      const double actor = microseconds(worlds, [&] { net.logits(windows, out); });
      const double critic = microseconds(worlds, [&] { net.values(windows, out); });
      fmt::print("{:<12}{:>8}{:>8}{:>14.2f}{:>14.2f}{:>14.0f}\n", name, items, worlds, actor,
                 critic, 1e6 / actor);
    }
}

Rollout make_rollout(const ActorCritic& net, std::uint32_t steps, std::uint32_t items) {
  const Windows windows = make_windows(steps, items);
  std::vector<float> logits;
  net.logits(windows, logits);
  Rng rng = Rng(2).stream("actions");
  Rollout rollout(kFeatures, kGlobals, 1);
  Categorical now;
  for (std::uint32_t s = 0; s < steps; ++s) {
    now.set(windows.of(s, std::span<const float>(logits)));
    const std::uint32_t action = now.at(rng.uniform());
    rollout.add(0, windows[s], {.action = action, .log_probability = now.log_probability(action)});
    rollout.reward(0, rng.uniform());
    if (s % 64 == 63) rollout.end(0);
  }
  return rollout;
}

void learn(const ActorCritic& net, const std::string& name) {
  for (const std::uint32_t items : {16u, 128u})
    for (const std::uint32_t threads : {1u, 2u}) {
      const std::uint32_t steps = 65536 / items;
      const Rollout rollout = make_rollout(net, steps, items);
      constexpr std::uint32_t kPasses = 4;
      Ppo ppo(net,
              {.policy_iterations = kPasses,
               .value_iterations = kPasses,
               .target_divergence = 0,
               .threads = threads},
              Rng(3));
      const Clock::time_point begun = Clock::now();
      const auto report = ppo.update(rollout);
      const double took = seconds_since(begun);
      fmt::print("{:<12}{:>8}{:>8}{:>14.0f}{:>14.1f}\n", name, items, threads,
                 kPasses * steps / took, took * 1e6 / (kPasses * steps));
      if (!report) fmt::print("{}\n", report.error().message);
    }
}

}  // namespace
}  // namespace penstock

int main() {
  using namespace penstock;
  const ActorCritic kernel({ActorKind::kernel, kFeatures, kGlobals}, Rng(1));
  const ActorCritic attention({ActorKind::attention, kFeatures, kGlobals}, Rng(1));
  fmt::print("{:<12}{:>8}{:>8}{:>14}{:>14}{:>14}\n", "forward", "items", "worlds", "actor us",
             "critic us", "actor/s");
  forward(kernel, "kernel");
  forward(attention, "attention");
  fmt::print("{:<12}{:>8}{:>8}{:>14}{:>14}\n", "ppo", "items", "threads", "samples/s", "us/sample");
  learn(kernel, "kernel");
  learn(attention, "attention");
}
