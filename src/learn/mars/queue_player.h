#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/queue/queue_world.h"

namespace penstock {

class OnlineLearner;
struct SelectorRules;
struct Strategy;

/// The result of a job that a player started.
struct JobFeedback {
  JobId job{};
  double slowdown = 1;  ///< bounded
  Duration run{};
};

/// Sampled futures: worlds that begin at one instant, with arrivals and run times drawn from
/// history. Made when first asked for. Long tasks at the end of a long queue may be missing in
/// them.
using Futures = std::function<std::span<const QueueWorld>()>;

/// Which strategy or network played a world, for explanations.
struct PlayedBy {
  std::string_view by{};  ///< its name; valid until the next play
  bool is_network = false;
  std::string reason{};  ///< why this one; may be empty
};

/// Decides which waiting jobs start, one pool at one instant after another.
class QueuePlayer {
 public:
  virtual ~QueuePlayer() = default;
  /// Plays the world while its clock stands at the present; the tasks it starts are then started in
  /// the cluster.
  virtual PlayedBy play(QueueWorld& world, const Futures& futures, std::uint32_t pool) = 0;
  /// A job has ended.
  virtual void on_ended(const JobFeedback& /*feedback*/) {}
};

/// One network decides, always. With `learns` in the rules it goes on learning.
std::unique_ptr<QueuePlayer> make_network_player(OnlineLearner learner);

/// At each epoch the cheapest of strategies and networks decides. At least one strategy.
std::unique_ptr<QueuePlayer> make_selecting_player(std::vector<const Strategy*> strategies,
                                                   std::vector<OnlineLearner> learners,
                                                   const SelectorRules& rules);

}  // namespace penstock
