#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/mars/online_learner.h"
#include "learn/mars/replay_guard.h"
#include "learn/queue/strategy.h"

namespace penstock {

/// The cost of a strategy in a race.
struct Score {
  double cost = 0;  ///< summed over all worlds, or those it was played in before it dropped out
  bool finished = true;  ///< false: it dropped out
};

/// Plays sampled futures under strategies, as a racing algorithm (successive halving). Strategies
/// that are clearly behind drop out: within a world one that is sure to come to far more than the
/// best there, and after each world the worse half. One strategy, the incumbent, always finishes.
class Race {
 public:
  explicit Race(Reward reward) : reward_(reward), scratch_(0, {}) {}
  /// Valid until the next race. There must be a world and a strategy.
  std::span<const Score> run(std::span<const QueueWorld> worlds,
                             std::span<const Strategy* const> strategies, std::size_t incumbent);
  Reward reward() const { return reward_; }

 private:
  double play(const QueueWorld& world, const Strategy& strategy, double most);
  double still_waiting() const;
  void run_one(const QueueWorld& world, std::span<const Strategy* const> strategies);
  void drop_worse_half();

  Reward reward_;
  QueueWorld scratch_;
  std::vector<Score> scores_;
  std::vector<std::size_t> running_;  ///< who has not dropped out, the incumbent first
};

struct SelectorRules {
  Reward reward = Reward::cost;
  Duration epoch = std::chrono::minutes(1);  ///< it chooses anew no sooner than after this
  double hysteresis = 0.02;                  ///< another must be better by this part to take over
  double confidence = 0.2;   ///< a network that is less sure on average is never taken
  std::uint32_t fewest = 3;  ///< with fewer waiting tasks no network is taken
  ReplayGuardRules guard{};
};

/// At each epoch plays the present queue to its end, on estimates, under every strategy and every
/// network that is not benched, and takes the cheapest.
class Selector {
 public:
  /// Both must outlive it. There must be a strategy.
  Selector(std::vector<const Strategy*> strategies, std::vector<OnlineLearner>& learners,
           const SelectorRules& rules);

  /// What decides from now on: a strategy or a learner.
  struct Pick {
    const Strategy* strategy = nullptr;
    OnlineLearner* learner = nullptr;
    std::string reason{};  ///< empty if nothing was compared
  };
  /// Picks for the jobs that wait `here`.
  Pick pick(const QueueWorld& here, const Futures& futures, std::uint32_t pool);

 private:
  struct Incumbent {
    std::size_t candidate = 0;
    std::optional<Time> since{};  ///< of the last comparison
  };
  std::size_t candidates() const { return strategies_.size() + learners_.size(); }
  std::string name_of(std::size_t candidate) const;
  Pick pick_of(std::size_t candidate) const;
  void predict_all(std::span<const QueueWorld> worlds, std::size_t incumbent);
  void predict_networks(std::span<const QueueWorld> worlds, double best);
  /// The predicted cost of a learner; infinite if it is not confident enough.
  double predict(OnlineLearner& learner, std::span<const QueueWorld> worlds, double best);
  std::string_view absence_of(std::size_t candidate) const;
  std::string reason_for(std::size_t chosen, std::size_t best) const;

  std::vector<const Strategy*> strategies_;
  std::vector<OnlineLearner>& learners_;
  SelectorRules rules_;
  std::vector<Incumbent> incumbents_;  ///< by pool
  std::vector<double> predicted_;  ///< by candidate; infinite if it dropped out or was not tried
  Race race_;
  QueueWorld scratch_;
};

}  // namespace penstock
