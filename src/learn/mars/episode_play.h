#pragma once

#include <optional>

#include "base/result.h"
#include "learn/mars/observation.h"
#include "learn/net/actor_critic.h"
#include "learn/net/cloning.h"
#include "learn/net/losses.h"
#include "learn/net/rollout.h"
#include "learn/queue/episodes.h"
#include "learn/queue/task_order.h"

namespace penstock {

/// A heuristic to imitate: chooses as an order would, in a world that is ranked by none.
class Teacher {
 public:
  explicit Teacher(const TaskOrder& order) : order_(&order) {}

  /// To be called before the first choice in a sequence, which must outlive the choices.
  void begin(const TaskSequence& tasks, Time origin);
  /// The ready task that goes first. There must be one.
  std::uint32_t choose(const QueueWorld& world) const;

 private:
  const TaskOrder* order_;
  const TaskSequence* tasks_ = nullptr;
  std::vector<std::uint32_t> places_;  ///< of an order that does not age
};

/// Plays the episodes by an order and records what a network would have seen, and the choice,
/// wherever there was one. Choices of tasks beyond the network's window are left out.
Demonstrations record_demonstrations(const TaskOrder& order, std::span<const Episode> episodes,
                                     const PlayRules& rules);

/// An episode to play. With `chance`, tasks are drawn by the network's probabilities; without, the
/// likeliest is taken each time.
struct EpisodePlay {
  const Episode* episode = nullptr;
  std::optional<Rng> chance{};
};

/// Episodes that one network plays to their ends together, so that each evaluation of the network
/// is about all of them (a vectorised environment). Where only one task is ready the network is not
/// asked.
class EpisodeBatch {
 public:
  explicit EpisodeBatch(const PlayRules& rules);

  /// The return of every episode: minus cost x bounded slowdown of each task over the reference. If
  /// `record` is given, choices are added to it, episode i on track i. Their rewards are how much
  /// less each task cost than under the best baseline: the return but for a constant of the
  /// episode, with less variance. Fails if an answer of the network is not finite.
  Result<std::vector<double>> play(const ActorCritic& net, std::span<const EpisodePlay> plays,
                                   Rollout* record);

 private:
  struct Running {
    EpisodePlay play{};
    QueueWorld world;
    TaskObserver observer;
    double total = 0;
    bool recorded = false;  ///< a choice on its track
  };
  void begin(Running& running);
  void observe_all();
  Result<Done> choose_all(Rollout* record);
  void act(std::size_t index, std::uint32_t task, Rollout* record);
  void skip_forced(std::size_t index, Rollout* record);

  PlayRules rules_;
  std::vector<Running> running_;
  std::vector<std::size_t> active_;
  Windows windows_;
  std::vector<float> logits_;
  std::vector<float> values_;
  Categorical chances_;
};

/// Plays any number of episodes on several threads; tracks of `record`, if it is given, follow the
/// order of `plays`. The result does not depend on the number of threads.
Result<std::vector<double>> play_episodes(const ActorCritic& net,
                                          std::span<const EpisodePlay> plays,
                                          const PlayRules& rules, std::uint32_t threads,
                                          Rollout* record);

}  // namespace penstock
