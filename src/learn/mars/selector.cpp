#include "learn/mars/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace penstock {
namespace {

/// A strategy that costs so many times the best in one world drops out.
constexpr double kDropFactor = 1.5;
/// At least so many strategies are kept after a world.
constexpr std::size_t kFewestLeft = 3;
/// Choices between two checks of whether a strategy drops out.
constexpr std::uint32_t kCheckEvery = 16;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

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
  double best = kInfinite;
  for (const std::size_t candidate : running_) {
    const bool is_incumbent = candidate == running_.front();
    const double most = is_incumbent ? kInfinite : kDropFactor * best;
    const double cost = play(world, *strategies[candidate], most);
    scores_[candidate].cost += cost;
    scores_[candidate].finished = cost <= most;
    best = std::min(best, cost);
  }
  std::erase_if(running_, [&](std::size_t candidate) { return !scores_[candidate].finished; });
}

void Race::drop_worse_half() {
  const std::size_t left = std::max(kFewestLeft, (running_.size() + 1) / 2);
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
      const TaskRun& task_run = scratch_.run_of(task);
      started += objective_of(tasks[task], task_run.start - tasks[task].submitted,
                              task_run.end - task_run.start, reward_);
    }
    if (i % kCheckEvery == 0 && most < kInfinite && started > most / 4 &&
        started + still_waiting() > most)
      return kInfinite;
  }
  return started;
}

/// What those add at least who are ready but have not started.
double Race::still_waiting() const {
  if (scratch_.options().sizing != Sizing::asked) return 0;  // who knows how long they will run
  double sum = 0;
  for (const std::uint32_t task : scratch_.ready()) {
    const Task& what = scratch_.tasks()[task];
    sum += objective_of(what, scratch_.now() - what.submitted, scratch_.needs(task), reward_);
  }
  return sum;
}

Selector::Selector(std::vector<const Strategy*> strategies, std::vector<OnlineLearner>& learners,
                   const SelectorRules& rules)
    : strategies_(std::move(strategies)),
      learners_(learners),
      rules_(rules),
      race_(rules.reward),
      scratch_(0, {}) {}

std::string Selector::name_of(std::size_t candidate) const {
  if (candidate < strategies_.size()) return std::string(strategies_[candidate]->name);
  return "net:" + learners_[candidate - strategies_.size()].name();
}

Selector::Pick Selector::pick_of(std::size_t candidate) const {
  if (candidate < strategies_.size()) return {.strategy = strategies_[candidate]};
  return {.learner = &learners_[candidate - strategies_.size()]};
}

Selector::Pick Selector::pick(const QueueWorld& here, const Futures& futures, std::uint32_t pool) {
  if (incumbents_.size() <= pool) incumbents_.resize(pool + 1);
  Incumbent& incumbent = incumbents_[pool];
  const bool is_early = incumbent.since && here.now() - *incumbent.since < rules_.epoch;
  if (here.ready().size() < 2 || is_early) return pick_of(incumbent.candidate);
  incumbent.since = here.now();
  predict_all(futures(), incumbent.candidate);
  const auto least = std::ranges::min_element(predicted_);
  const auto best = static_cast<std::size_t>(least - predicted_.begin());
  const bool takes_over = *least < (1 - rules_.hysteresis) * predicted_[incumbent.candidate];
  if (takes_over) incumbent.candidate = best;
  Pick pick = pick_of(incumbent.candidate);
  pick.reason = reason_for(incumbent.candidate, best);
  return pick;
}

void Selector::predict_all(std::span<const QueueWorld> worlds, std::size_t incumbent) {
  predicted_.assign(candidates(), kInfinite);
  const std::span<const Score> scores = race_.run(worlds, strategies_, incumbent);
  double best = kInfinite;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i].finished) continue;
    predicted_[i] = scores[i].cost;
    best = std::min(best, predicted_[i]);
  }
  if (worlds.front().ready().size() >= rules_.fewest) predict_networks(worlds, best);
}

void Selector::predict_networks(std::span<const QueueWorld> worlds, double best) {
  for (std::size_t i = 0; i < learners_.size(); ++i)
    if (learners_[i].is_due())
      predicted_[strategies_.size() + i] = predict(learners_[i], worlds, best);
}

double Selector::predict(OnlineLearner& learner, std::span<const QueueWorld> worlds, double best) {
  double cost = 0;
  double sure = 0;
  std::uint32_t choices = 0;
  for (const QueueWorld& world : worlds) {
    scratch_ = world;
    learner.begin(world);
    cost += objective_of(run_to_end(scratch_,
                                    [&](const QueueWorld& at) {
                                      const std::uint32_t task = learner.choose(at);
                                      sure += learner.confidence();
                                      ++choices;
                                      return task;
                                    }),
                         rules_.reward);
  }
  learner.compare(cost, best);
  const bool is_sure = choices > 0 && sure >= rules_.confidence * choices;
  return is_sure && !learner.is_benched() ? cost : kInfinite;
}

/// Why there is no prediction.
std::string_view Selector::absence_of(std::size_t candidate) const {
  if (candidate < strategies_.size()) return "dropped";
  return learners_[candidate - strategies_.size()].is_benched() ? "benched" : "-";
}

/// All of them, the chosen one first.
std::string Selector::reason_for(std::size_t chosen, std::size_t best) const {
  std::string text = fmt::format("{} {:.4g}", name_of(chosen), predicted_[chosen]);
  if (chosen != best) text += " (stays: less than the hysteresis behind the best)";
  text += " |";
  for (std::size_t i = 0; i < predicted_.size(); ++i) {
    if (i == chosen) continue;
    if (predicted_[i] < kInfinite)
      text += fmt::format(" {} {:.4g}", name_of(i), predicted_[i]);
    else
      text += fmt::format(" {} {}", name_of(i), absence_of(i));
  }
  return text;
}

}  // namespace penstock
