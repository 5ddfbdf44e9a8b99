#include "learn/mars/race.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
/// One that comes to so many times the best in one world is behind in all, whatever chance does.
constexpr double kHopeless = 1.5;
/// So many are left at least after a world.
constexpr std::size_t kFewest = 3;
/// Choices between two looks at whether a strategy is hopeless.
constexpr std::uint32_t kLook = 16;

}  // namespace

double judged(const Measures& measures, Reward reward) {
  if (reward == Reward::wait) return seconds(measures.wait_sum);
  return reward == Reward::slowdown ? measures.slowdown_sum : measures.cost_slowdown_sum;
}

double judged(const Task& task, Duration wait, Duration run, Reward reward) {
  if (reward == Reward::wait) return seconds(wait);
  return slowdown_after(wait, run) * (reward == Reward::cost ? task.cost : 1);
}

std::span<const Score> Race::run(std::span<const QueueWorld> worlds,
                                 std::span<const Strategy* const> strategies,
                                 std::size_t incumbent) {
  scores_.assign(strategies.size(), {});
  running_.clear();
  running_.push_back(std::min(incumbent, strategies.size() - 1));
  for (std::size_t i = 0; i < strategies.size(); ++i)
    if (i != running_.front()) running_.push_back(i);
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    run_one(worlds[i], strategies);
    if (i + 1 < worlds.size()) drop_worse_half();
  }
  return scores_;
}

void Race::run_one(const QueueWorld& world, std::span<const Strategy* const> strategies) {
  double best = kEndless;
  for (const std::size_t candidate : running_) {
    const bool is_incumbent = candidate == running_.front();
    const double most = is_incumbent ? kEndless : kHopeless * best;
    const double cost = play(world, *strategies[candidate], most);
    scores_[candidate].cost += cost;
    scores_[candidate].finished = cost <= most;
    best = std::min(best, cost);
  }
  std::erase_if(running_, [&](std::size_t candidate) { return !scores_[candidate].finished; });
}

void Race::drop_worse_half() {
  const std::size_t left = std::max(kFewest, (running_.size() + 1) / 2);
  if (running_.size() <= left) return;
  const auto rivals = running_.begin() + 1;
  std::ranges::sort(rivals, running_.end(), {}, [&](std::size_t candidate) {
    return std::pair(scores_[candidate].cost, candidate);
  });
  for (std::size_t i = left; i < running_.size(); ++i) scores_[running_[i]].finished = false;
  running_.resize(left);
}

/// What following the strategy comes to; if that is more than `most`, any number between the two.
double Race::play(const QueueWorld& world, const Strategy& strategy, double most) {
  scratch_ = world;
  follow(scratch_, strategy);
  const TaskSequence& tasks = scratch_.tasks();
  double started = 0;
  for (std::uint32_t i = 0; scratch_.needs_choice(); ++i) {
    scratch_.choose(scratch_.first());
    for (const std::uint32_t task : scratch_.started()) {
      const Fate& fate = scratch_.fate(task);
      started +=
          judged(tasks[task], fate.start - tasks[task].submitted, fate.end - fate.start, reward_);
    }
    if (i % kLook == 0 && most < kEndless && started > most / 4 && started + still_waiting() > most)
      return kEndless;
  }
  return started;
}

/// What those add at least who are ready but have not started.
double Race::still_waiting() const {
  if (scratch_.options().sizing != Sizing::asked) return 0;  // who knows how long they will run
  double sum = 0;
  for (const std::uint32_t task : scratch_.ready()) {
    const Task& what = scratch_.tasks()[task];
    sum += judged(what, scratch_.now() - what.submitted, scratch_.needs(task), reward_);
  }
  return sum;
}

}  // namespace penstock
