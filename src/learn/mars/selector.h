#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/mars/apprentice.h"
#include "learn/queue/strategy.h"

namespace penstock {

/// What a candidate's predicted future is judged by; less is better.
enum class Reward : std::uint8_t {
  cost,      ///< sum of cost x bounded slowdown
  slowdown,  ///< sum of bounded slowdowns
  wait,      ///< sum of waits
};

struct SelectorRules {
  Reward reward = Reward::cost;
  Duration epoch = std::chrono::minutes(1);  ///< it chooses anew no sooner than after this
  double hysteresis = 0.02;                  ///< another must be better by this part to take over
  double confidence = 0.2;   ///< a network that is less sure on average is never taken
  std::uint32_t fewest = 3;  ///< with fewer waiting tasks no network is taken
};

/// At each epoch plays the present queue to its end, on estimates, under every strategy and every
/// network that is not benched, and takes the cheapest.
class Selector {
 public:
  /// Both must outlive it. There must be a strategy.
  Selector(std::vector<const Strategy*> strategies, std::vector<Apprentice>& apprentices,
           const SelectorRules& rules);

  /// Who is to decide from here: a strategy, or beyond them an apprentice.
  struct Pick {
    const Strategy* strategy = nullptr;
    Apprentice* apprentice = nullptr;
    std::string reason{};  ///< empty if nobody was compared
  };
  /// Of worlds that begin alike and of which each may come true.
  Pick pick(std::span<const QueueWorld> worlds, std::uint32_t pool);

 private:
  struct Incumbent {
    std::size_t candidate = 0;
    std::optional<Time> since{};  ///< of the last comparison
  };
  std::size_t candidates() const { return strategies_.size() + apprentices_.size(); }
  std::string name_of(std::size_t candidate) const;
  Pick pick_of(std::size_t candidate) const;
  double judged(const Measures& measures) const;
  void predict_all(std::span<const QueueWorld> worlds);
  void predict_networks(std::span<const QueueWorld> worlds, double best);
  /// What an apprentice would come to; endless if it is not sure enough.
  double predict(Apprentice& apprentice, std::span<const QueueWorld> worlds, double best);
  std::string reason_for(std::size_t chosen, std::size_t best) const;

  std::vector<const Strategy*> strategies_;
  std::vector<Apprentice>& apprentices_;
  SelectorRules rules_;
  std::vector<Incumbent> incumbents_;  ///< by pool
  std::vector<double> predicted_;      ///< by candidate; endless if it was not asked
  QueueWorld scratch_;
};

}  // namespace penstock
