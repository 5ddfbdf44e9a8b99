#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/mars/apprentice.h"
#include "learn/mars/race.h"
#include "learn/mars/retrospect.h"

namespace penstock {

struct SelectorRules {
  Reward reward = Reward::cost;
  Duration epoch = std::chrono::minutes(1);  ///< it chooses anew no sooner than after this
  double hysteresis = 0.02;                  ///< another must be better by this part to take over
  double confidence = 0.2;   ///< a network that is less sure on average is never taken
  std::uint32_t fewest = 3;  ///< with fewer waiting tasks no network is taken
  RetrospectRules guard{};
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
  /// For who waits `here`.
  Pick pick(const QueueWorld& here, const Futures& futures, std::uint32_t pool);

 private:
  struct Incumbent {
    std::size_t candidate = 0;
    std::optional<Time> since{};  ///< of the last comparison
  };
  std::size_t candidates() const { return strategies_.size() + apprentices_.size(); }
  std::string name_of(std::size_t candidate) const;
  Pick pick_of(std::size_t candidate) const;
  void predict_all(std::span<const QueueWorld> worlds, std::size_t incumbent);
  void predict_networks(std::span<const QueueWorld> worlds, double best);
  /// What an apprentice would come to; endless if it is not sure enough.
  double predict(Apprentice& apprentice, std::span<const QueueWorld> worlds, double best);
  std::string_view absence_of(std::size_t candidate) const;
  std::string reason_for(std::size_t chosen, std::size_t best) const;

  std::vector<const Strategy*> strategies_;
  std::vector<Apprentice>& apprentices_;
  SelectorRules rules_;
  std::vector<Incumbent> incumbents_;  ///< by pool
  std::vector<double> predicted_;      ///< by candidate; endless if it dropped out or was not asked
  Race race_;
  QueueWorld scratch_;
};

}  // namespace penstock
