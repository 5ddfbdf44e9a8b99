#include "learn/mars/contest.h"

#include "base/in_parallel.h"

namespace penstock {
namespace {

double sum_under(const Strategy& strategy, QueueWorld& world, const TaskSequence& tasks) {
  world.reset(tasks);
  return run_to_end(world, strategy).cost_slowdown_sum;
}

QueueWorld world_for(const TaskSequence& tasks, const PlayRules& rules) {
  QueueOptions options = rules.queue;
  options.origin = origin_of(tasks);
  return {rules.gpus, options};
}

void find_best(Contest& contest, const PlayRules& rules) {
  QueueWorld world = world_for(contest.tasks, rules);
  for (const Strategy& strategy : rivals(rules)) {
    const double sum = sum_under(strategy, world, contest.tasks);
    if (!contest.best.empty() && sum >= contest.reference) continue;
    contest.best = strategy.name;
    contest.reference = sum;
    contest.shares.resize(contest.tasks.size());
    for (std::uint32_t i = 0; i < contest.tasks.size(); ++i)
      contest.shares[i] = contest.tasks[i].cost * slowdown_of(world, i) / sum;
  }
}

}  // namespace

std::vector<Strategy> rivals(const PlayRules& rules) {
  std::vector<Strategy> plain;
  for (const Strategy& strategy : all_strategies())
    if (strategy.backfill == rules.queue.backfill && strategy.keep == Keep{})
      plain.push_back(strategy);
  return plain;
}

Time origin_of(const TaskSequence& tasks) {
  return tasks.size() == 0 ? Time{} : tasks[0].submitted;
}

std::vector<Contest> make_contests(std::vector<TaskSequence> episodes, const PlayRules& rules,
                                   std::uint32_t threads) {
  std::vector<Contest> contests(episodes.size());
  in_parallel(contests.size(), threads, [&](std::size_t i) {
    contests[i].tasks = std::move(episodes[i]);
    find_best(contests[i], rules);
  });
  return contests;
}

double mean_return(const Strategy& strategy, std::span<const Contest> contests,
                   const PlayRules& rules) {
  double sum = 0;
  for (const Contest& contest : contests) {
    QueueWorld world = world_for(contest.tasks, rules);
    sum -= sum_under(strategy, world, contest.tasks) / contest.reference;
  }
  return contests.empty() ? 0 : sum / static_cast<double>(contests.size());
}

}  // namespace penstock
