#include "learn/mars/queue_player.h"

#include <fmt/format.h>

#include "learn/mars/selector.h"

namespace penstock {
namespace {

void play_strategy(const Strategy& strategy, QueueWorld& world) {
  const Time now = world.now();
  follow(world, strategy);
  while (world.needs_choice() && world.now() == now) world.choose(world.first());
}

void play_network(OnlineLearner& learner, QueueWorld& world) {
  const Time now = world.now();
  learner.begin(world);
  while (world.needs_choice() && world.now() == now) {
    world.choose(learner.act(world));
    for (const std::uint32_t task : world.started())
      if (world.run_of(task).start == now)
        learner.on_started(world.tasks()[task].id, world.tasks()[task].cost);
  }
}

class NetworkPlayer final : public QueuePlayer {
 public:
  explicit NetworkPlayer(OnlineLearner learner) : learner_(std::move(learner)) {}
  PlayedBy play(QueueWorld& world, const Futures& /*futures*/, std::uint32_t /*pool*/) override {
    play_network(learner_, world);
    return {.by = learner_.name(), .is_network = true};
  }
  void on_ended(const JobFeedback& feedback) override { learner_.on_ended(feedback); }

 private:
  OnlineLearner learner_;
};

/// Every order, without and with EASY.
std::vector<const Strategy*> plain_strategies() {
  std::vector<const Strategy*> plain;
  for (const Strategy& strategy : all_strategies())
    if (strategy.keep == KeepFree{}) plain.push_back(&strategy);
  return plain;
}

class SelectingPlayer final : public QueuePlayer {
 public:
  SelectingPlayer(std::vector<const Strategy*> strategies, std::vector<OnlineLearner> learners,
                  const SelectorRules& rules)
      : learners_(std::move(learners)),
        selector_(std::move(strategies), learners_, rules),
        reward_(rules.reward),
        guard_rules_(rules.guard) {}
  PlayedBy play(QueueWorld& world, const Futures& futures, std::uint32_t pool) override {
    const Time now = world.now();
    if (!world.needs_choice()) return {};
    ReplayGuard& guard = guard_of(pool);
    guard.on_ready(world);
    PlayedBy played = guard.better() == nullptr ? play_pick(world, futures, pool)
                                                : keep_to(*guard.better(), guard.share(), world);
    for (std::uint32_t i = 0; i < world.tasks().size(); ++i)
      if (world.has_started(i) && world.run_of(i).start == now)
        guard.on_started(world.tasks()[i].id, now, world.run_of(i).gpus);
    return played;
  }
  void on_ended(const JobFeedback& feedback) override {
    for (OnlineLearner& learner : learners_) learner.on_ended(feedback);
    for (ReplayGuard& guard : guards_) guard.on_ended(feedback.job, feedback.run);
  }

 private:
  PlayedBy play_pick(QueueWorld& world, const Futures& futures, std::uint32_t pool) {
    Selector::Pick pick = selector_.pick(world, futures, pool);
    if (pick.learner != nullptr) {
      play_network(*pick.learner, world);
      return {pick.learner->name(), true, std::move(pick.reason)};
    }
    play_strategy(*pick.strategy, world);
    return {pick.strategy->name, false, std::move(pick.reason)};
  }

  static PlayedBy keep_to(const Strategy& better, double share, QueueWorld& world) {
    play_strategy(better, world);
    return {better.name, false,
            fmt::format("guard: keeps to {}, which would have come to {:.3g} of what was done",
                        better.name, share)};
  }

  ReplayGuard& guard_of(std::uint32_t pool) {
    while (guards_.size() <= pool) guards_.emplace_back(plain_strategies(), reward_, guard_rules_);
    return guards_[pool];
  }

  std::vector<OnlineLearner> learners_;
  Selector selector_;
  Reward reward_;
  ReplayGuardRules guard_rules_;
  std::vector<ReplayGuard> guards_;  ///< by pool
};

}  // namespace

std::unique_ptr<QueuePlayer> make_network_player(OnlineLearner learner) {
  return std::make_unique<NetworkPlayer>(std::move(learner));
}

std::unique_ptr<QueuePlayer> make_selecting_player(std::vector<const Strategy*> strategies,
                                                   std::vector<OnlineLearner> learners,
                                                   const SelectorRules& rules) {
  return std::make_unique<SelectingPlayer>(std::move(strategies), std::move(learners), rules);
}

}  // namespace penstock
