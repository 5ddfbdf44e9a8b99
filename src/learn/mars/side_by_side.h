#pragma once

#include <optional>

#include "base/result.h"
#include "learn/mars/contest.h"
#include "learn/mars/observation.h"
#include "learn/net/actor_critic.h"
#include "learn/net/categorical.h"
#include "learn/net/rollout.h"

namespace penstock {

/// One world of several: what is played in it, and by which chance. Without chance the likeliest
/// task is chosen each time.
struct Seat {
  const Contest* contest = nullptr;
  std::optional<Rng> chance{};
};

/// Worlds that one network plays to their ends side by side, asked about all of them at once.
/// Where only one task is ready there is nothing to choose, and nobody is asked.
class SideBySide {
 public:
  explicit SideBySide(const PlayRules& rules);

  /// The return of every seat: minus cost x bounded slowdown of each task over the contest's
  /// reference. If `record` is given, choices are added to it, seat i on track i, and as rewards
  /// how much less each task cost than the best heuristic had to pay for it: the same but for a
  /// constant of the episode, with less noise. It is an error if the network's answers are not
  /// finite.
  Result<std::vector<double>> play(const ActorCritic& net, std::span<const Seat> seats,
                                   Rollout* record);

 private:
  struct Table {
    Seat seat{};
    QueueWorld world;
    TaskObserver observer;
    double total = 0;
    bool recorded = false;  ///< a choice on its track
  };
  void begin(Table& table);
  void look_at_all();
  Result<Done> choose_everywhere(Rollout* record);
  void act(std::size_t table, std::uint32_t task, Rollout* record);
  void skip_forced(std::size_t table, Rollout* record);

  PlayRules rules_;
  std::vector<Table> tables_;
  std::vector<std::size_t> active_;
  Windows windows_;
  std::vector<float> logits_;
  std::vector<float> values_;
  Categorical chances_;
};

/// The same for any number of seats, on some threads; tracks follow the order of seats. Bits do
/// not depend on the number of threads. Adds to `record` if it is given.
Result<std::vector<double>> play_all(const ActorCritic& net, std::span<const Seat> seats,
                                     const PlayRules& rules, std::uint32_t threads,
                                     Rollout* record);

}  // namespace penstock
