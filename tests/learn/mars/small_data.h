#pragma once

#include "base/check.h"
#include "io/traces/generate.h"
#include "learn/mars/trainer.h"
#include "learn/queue/episodes.h"

namespace penstock {

/// A machine of 32 GPUs on which energy costs something.
inline Machine small_machine() {
  return {.type = {.name = "test", .peak = Watts(300)}, .gpus = 32, .rates = {.per_kwh = 0.2}};
}

/// Generated jobs that make queues of some tens on it.
inline std::vector<Task> busy_tasks(std::uint64_t jobs, std::uint64_t seed = 5) {
  GeneratedSource source(
      {.jobs = jobs, .seed = seed, .mean_gap = std::chrono::minutes(3), .request_factor = 3});
  std::vector<TracedJob> all;
  while (auto job = source.next()) all.push_back(*std::move(job));
  return tasks_on(small_machine(), all);
}

struct DataSize {
  std::uint32_t tasks = 48;
  std::uint32_t training = 24;
  std::uint32_t validation = 8;
};

inline QueueTrainingData small_data(const DataSize& size = {}, Backfill backfill = Backfill::easy) {
  const PlayRules rules{.gpus = 32, .queue = {.backfill = backfill}, .window = 32};
  const auto draw = [&](std::uint64_t seed, std::uint32_t count) {
    auto episodes = draw_sequences(busy_tasks(2000, seed), {.tasks = size.tasks, .count = count},
                                   32, Rng(seed));
    PENSTOCK_CHECK(episodes);
    return make_episodes(*std::move(episodes), rules, 1);
  };
  return {.rules = rules,
          .training = draw(1, size.training),
          .validation = draw(2, size.validation),
          .origin = "generated"};
}

}  // namespace penstock
