#include "learn/queue/episodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/in_parallel.h"

namespace penstock {
namespace {

bool can_run(const Job& job, const Machine& machine) {
  return job.gpus <= machine.gpus && (job.gpu_types >> machine.type_id.index & 1) != 0;
}

Task task_of(const TracedJob& traced, const Machine& machine) {
  const Job& job = traced.job;
  return {.id = job.id,
          .submitted = job.submitted,
          .gpus = job.gpus,
          .requested = job.requested,
          .actual = traced.actual,
          .cost = task_cost(job, machine.type, machine.rates),
          .deadline = job.deadline};
}

double sum_under(const Strategy& strategy, QueueWorld& world, const TaskSequence& tasks) {
  world.reset(tasks);
  return run_to_end(world, strategy).cost_slowdown_sum;
}

void find_best(Episode& episode, const PlayRules& rules) {
  QueueWorld world = world_for(episode.tasks, rules);
  for (const Strategy& strategy : baselines(rules)) {
    const double sum = sum_under(strategy, world, episode.tasks);
    if (!episode.best.empty() && sum >= episode.reference) continue;
    episode.best = strategy.name;
    episode.reference = sum;
    episode.shares.resize(episode.tasks.size());
    for (std::uint32_t i = 0; i < episode.tasks.size(); ++i)
      episode.shares[i] = episode.tasks[i].cost * slowdown_of(world, i) / sum;
  }
}

}  // namespace

double task_cost(const Job& job, const GpuType& type, const TaskRates& rates) {
  constexpr double kWattsOfKilowatt = 1000;
  const double rate =
      rates.per_kwh * type.peak.value() / kWattsOfKilowatt + rates.per_gpu_hour;  // a GPU-hour
  if (rate <= 0) return 1;
  const double hours = std::max(seconds(job.requested), 1e-3) / 3600;
  return rate * hours * static_cast<double>(job.gpus);
}

Machine largest_pool(const Cluster& cluster) {
  PENSTOCK_CHECK(!cluster.nodes.empty());
  std::map<std::pair<SiteId, GpuTypeId>, std::uint32_t> pools;
  for (const Node& node : cluster.nodes) pools[{node.site, node.type}] += node.gpus;
  Machine largest;
  for (const auto& [pool, gpus] : pools)
    if (gpus > largest.gpus)
      largest = {.type_id = pool.second,
                 .type = cluster.types[pool.second.index],
                 .site = pool.first,
                 .gpus = gpus};
  return largest;
}

double mean_price_per_kwh(const SiteSignals& signals, Time from, Time until) {
  return signals.price.mean(from, until).value() * signals.pue.mean(from, until).value();
}

std::vector<Task> tasks_on(const Machine& machine, std::span<const TracedJob> jobs,
                           Weighing weighing) {
  std::vector<Task> tasks;
  std::vector<std::uint32_t> index(jobs.size(), kNoTask);  // by job
  for (const TracedJob& traced : jobs) {
    if (!can_run(traced.job, machine)) continue;
    PENSTOCK_CHECK(traced.job.id.index < jobs.size());
    index[traced.job.id.index] = static_cast<std::uint32_t>(tasks.size());
    tasks.push_back(task_of(traced, machine));
    if (weighing == Weighing::alike) tasks.back().cost = 1;
    for (const JobId parent : traced.job.parents)
      if (index[parent.index] != kNoTask) tasks.back().parents.push_back(index[parent.index]);
  }
  return tasks;
}

Result<TaskSequence> cut_sequence(std::span<const Task> tasks, std::size_t first, std::size_t count,
                                  std::uint32_t machine_gpus) {
  const auto part = tasks.subspan(first, count);
  std::vector<Task> own(part.begin(), part.end());
  for (Task& task : own) {
    std::erase_if(task.parents,
                  [&](std::uint32_t parent) { return parent < first || parent >= first + count; });
    for (std::uint32_t& parent : task.parents) parent -= static_cast<std::uint32_t>(first);
  }
  return TaskSequence::make(std::move(own), machine_gpus);
}

Result<std::vector<TaskSequence>> draw_sequences(std::span<const Task> tasks,
                                                 const EpisodeOptions& options,
                                                 std::uint32_t machine_gpus, Rng rng) {
  PENSTOCK_CHECK(options.tasks > 0);
  if (tasks.size() < options.tasks)
    return Error{
        fmt::format("an episode has {} tasks, but there are only {} to draw it from; "
                    "possible: a shorter episode or a longer trace",
                    options.tasks, tasks.size())};
  std::vector<TaskSequence> sequences;
  const std::size_t starts = tasks.size() - options.tasks + 1;
  for (std::uint32_t i = 0; i < options.count; ++i) {
    auto made = cut_sequence(tasks, rng.below(starts), options.tasks, machine_gpus);
    if (!made) return std::move(made).error();
    sequences.push_back(*std::move(made));
  }
  return sequences;
}

std::vector<Strategy> baselines(const PlayRules& rules) {
  std::vector<Strategy> plain;
  for (const Strategy& strategy : all_strategies())
    if (strategy.backfill == rules.queue.backfill && strategy.keep == KeepFree{})
      plain.push_back(strategy);
  return plain;
}

Time origin_of(const TaskSequence& tasks) {
  return tasks.size() == 0 ? Time{} : tasks[0].submitted;
}

QueueWorld world_for(const TaskSequence& tasks, const PlayRules& rules) {
  QueueOptions options = rules.queue;
  options.origin = origin_of(tasks);
  return {rules.gpus, options};
}

std::vector<Episode> make_episodes(std::vector<TaskSequence> sequences, const PlayRules& rules,
                                   std::uint32_t threads) {
  std::vector<Episode> episodes(sequences.size());
  in_parallel(episodes.size(), threads, [&](std::size_t i) {
    episodes[i].tasks = std::move(sequences[i]);
    find_best(episodes[i], rules);
  });
  return episodes;
}

double mean_return(const Strategy& strategy, std::span<const Episode> episodes,
                   const PlayRules& rules) {
  double sum = 0;
  for (const Episode& episode : episodes) {
    QueueWorld world = world_for(episode.tasks, rules);
    sum -= sum_under(strategy, world, episode.tasks) / episode.reference;
  }
  return episodes.empty() ? 0 : sum / static_cast<double>(episodes.size());
}

}  // namespace penstock
