#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "learn/queue/strategy.h"
#include "learn/queue/task_sequence.h"
#include "model/cluster.h"
#include "model/models.h"
#include "model/site_signals.h"
#include "model/trace.h"

namespace penstock {

/// What running costs, as rewards count it: money for energy, and for holding GPUs.
struct TaskRates {
  double per_kwh = 0;  ///< of the site's energy, cooling included
  double per_gpu_hour = 0;
};

/// The weight of a job's slowdown: the money that it costs to run as asked on GPUs of the type, or
/// 1 if nothing costs anything.
double task_cost(const Job& job, const GpuType& type, const TaskRates& rates);

/// Interchangeable GPUs of one type at one site, which serve one queue.
struct Machine {
  GpuTypeId type_id{};
  GpuType type{};
  SiteId site{};
  std::uint32_t gpus = 0;
  TaskRates rates{};
};

/// The most GPUs of one type at one site; of equals, those of the first. The cluster has a node.
Machine largest_pool(const Cluster& cluster);

/// The mean price of energy at a site over a period, cooling included.
double mean_price_per_kwh(const SiteSignals& signals, Time from, Time until);

/// The weight of a task's slowdown.
enum class Weighing : std::uint8_t {
  by_cost,  ///< task_cost()
  alike,    ///< 1
};

/// The jobs that can run on the machine, as tasks in order of submission; children of one that
/// cannot do not wait for it. Parents are indices among the tasks.
std::vector<Task> tasks_on(const Machine& machine, std::span<const TracedJob> jobs,
                           Weighing weighing = Weighing::by_cost);

struct EpisodeOptions {
  std::uint32_t tasks = 256;  ///< in each; at least 1
  std::uint32_t count = 256;  ///< of episodes
};

/// `count` tasks from `first` on as a sequence of its own. Parents outside it are dropped.
Result<TaskSequence> cut_sequence(std::span<const Task> tasks, std::size_t first, std::size_t count,
                                  std::uint32_t machine_gpus);

/// Sequences of consecutive tasks that begin at random tasks. Fails if there are fewer tasks than
/// one sequence needs.
Result<std::vector<TaskSequence>> draw_sequences(std::span<const Task> tasks,
                                                 const EpisodeOptions& options,
                                                 std::uint32_t machine_gpus, Rng rng);

/// What all worlds of a training have in common.
struct PlayRules {
  std::uint32_t gpus = 0;
  QueueOptions queue{};
  std::uint32_t window = 128;  ///< ready tasks that a network sees, at least 2
};

/// Tasks to train on or validate with, and the result of the best baseline in hindsight.
struct Episode {
  TaskSequence tasks{};
  std::string_view best{};  ///< the strategy with the least sum
  double reference = 1;     ///< its sum of cost x bounded slowdown
  /// Its cost x bounded slowdown by task, over the reference: they add up to 1.
  std::vector<double> shares{};
};

/// The strategies whose best result is an episode's reference: plain orders, with the backfill of
/// the rules.
std::vector<Strategy> baselines(const PlayRules& rules);

/// Plays every baseline on every sequence. The result does not depend on the number of threads.
std::vector<Episode> make_episodes(std::vector<TaskSequence> sequences, const PlayRules& rules,
                                   std::uint32_t threads);

/// The mean return of following one strategy: minus the sum over tasks of cost x bounded slowdown,
/// divided by the reference. -1 is as good as the best in hindsight.
double mean_return(const Strategy& strategy, std::span<const Episode> episodes,
                   const PlayRules& rules);

/// A world for the tasks, not reset to them yet.
QueueWorld world_for(const TaskSequence& tasks, const PlayRules& rules);

/// When a sequence's run began: its first submission.
Time origin_of(const TaskSequence& tasks);

}  // namespace penstock
