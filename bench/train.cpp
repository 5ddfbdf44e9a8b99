// How many decisions a second a training makes: worlds side by side without a network, with one
// that only plays, and in the whole of learning. Real decisions only: where one task is ready
// nobody is asked.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "io/traces/generate.h"
#include "learn/mars/episode_play.h"
#include "learn/mars/trainer.h"
#include "learn/queue/episodes.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint32_t kGpus = 256;

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

/// Jobs by the model of Lublin and Feitelson, as of data/studies/mars/lublin.toml.
std::vector<Episode> make(std::uint64_t seed, std::uint32_t count, const PlayRules& rules) {
  GeneratedSource source({.jobs = 5000,
                          .seed = seed,
                          .mean_gap = std::chrono::seconds(640),
                          .lublin_machine = kGpus,
                          .request_factor = 3});
  std::vector<TracedJob> jobs;
  while (auto job = source.next()) jobs.push_back(*std::move(job));
  const Machine machine{
      .type = {.name = "core", .peak = Watts(10)}, .gpus = kGpus, .rates = {.per_kwh = 0.1}};
  auto episodes = draw_sequences(tasks_on(machine, jobs), {.count = count}, kGpus, Rng(seed));
  if (!episodes) std::exit(1);
  return make_episodes(*std::move(episodes), rules, 2);
}

void print(const std::string& what, std::size_t decisions, double took) {
  fmt::print("{:<52}{:>12.0f} decisions/s\n", what, static_cast<double>(decisions) / took);
}

void environment(const QueueTrainingData& data) {
  Teacher teacher(*find_task_order("sjf"));
  std::size_t decisions = 0;
  const Clock::time_point begun = Clock::now();
  for (int go = 0; go < 5; ++go)
    for (const Episode& episode : data.training) {
      QueueWorld world(kGpus, data.rules.queue);
      world.reset(episode.tasks);
      teacher.begin(episode.tasks, origin_of(episode.tasks));
      for (; world.needs_choice(); ++decisions) world.choose(teacher.choose(world));
    }
  print("environment, one thread, no network", decisions, seconds_since(begun));
}

void playing(const QueueTrainingData& data, ActorKind kind, std::uint32_t threads) {
  const ActorCritic net(observer_shape(kind), Rng(1));
  std::vector<EpisodePlay> plays;
  for (const Episode& episode : data.training)
    plays.push_back({.episode = &episode, .chance = Rng(plays.size())});
  Rollout record(net.shape().item_features, net.shape().global_features, 0);
  const Clock::time_point begun = Clock::now();
  if (!play_episodes(net, plays, data.rules, threads, &record)) std::exit(1);
  print(fmt::format("playing, {} threads, mean window {}", threads,
                    record.windows().count() / record.windows().size()),
        record.size(), seconds_since(begun));
}

void training(const QueueTrainingData& data, ActorKind kind, std::uint32_t threads) {
  QueueTrainer trainer({.kind = kind, .updates = 8, .threads = threads}, data);
  if (!trainer.step()) std::exit(1);
  const Clock::time_point begun = Clock::now();
  while (!trainer.finished())
    if (!trainer.step()) std::exit(1);
  std::size_t decisions = 0;
  for (const CurvePoint& point : trainer.curve()) decisions += point.decisions;
  print(fmt::format("training, {} threads, {}", threads,
                    kind == ActorKind::kernel ? "kernel" : "attention"),
        decisions, seconds_since(begun));
}

}  // namespace
}  // namespace penstock

int main() {
  using namespace penstock;
  const PlayRules rules{.gpus = kGpus, .queue = {.backfill = Backfill::easy}};
  const QueueTrainingData data{.rules = rules,
                               .training = make(1, 64, rules),
                               .validation = make(2, 16, rules),
                               .origin = "bench"};
  environment(data);
  for (const std::uint32_t threads : {1u, 2u}) {
    playing(data, ActorKind::kernel, threads);
    training(data, ActorKind::kernel, threads);
  }
  training(data, ActorKind::attention, 2);
}
