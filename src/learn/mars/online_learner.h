#pragma once

#include <deque>
#include <map>
#include <string>

#include "learn/mars/ensemble.h"
#include "learn/mars/observation.h"
#include "learn/mars/queue_player.h"
#include "learn/net/actor_critic.h"
#include "learn/net/losses.h"
#include "learn/net/ppo.h"

namespace penstock {

/// Chooses as a network finds best, in any number of worlds one after another. Keeps its memory.
class NetChooser {
 public:
  /// For networks of this shape; at most `most` ready tasks are looked at.
  NetChooser(const NetShape& shape, std::uint32_t most);

  /// To be called before the first choice in a sequence.
  void begin(const TaskSequence& tasks, Time origin) { observer_.begin(tasks, origin); }
  /// The likeliest task; the first submitted one if the network's answers are not finite.
  std::uint32_t choose(const ActorCritic& net, const QueueWorld& world);

  // Of the last choice.
  /// The probability of the choice; 0 if the network's answers were not finite.
  double confidence() const { return confidence_; }
  double log_probability() const { return chances_.log_probability(item_); }
  /// The number of the chosen item.
  std::uint32_t item() const { return item_; }
  /// What was seen: one window.
  const Windows& seen() const { return windows_; }

 private:
  TaskObserver observer_;
  Windows windows_;
  std::vector<float> logits_;
  Categorical chances_;
  std::uint32_t item_ = 0;
  double confidence_ = 0;
};

struct OnlineLearnerRules {
  std::uint32_t window = 128;  ///< tasks that it sees at a time
  bool learns = true;          ///< from the results of the jobs it started
  std::uint32_t batch = 256;   ///< choices to an update
  double tolerance =
      0.02;  ///< how much worse than the best heuristic it may become before it is benched
  std::uint32_t trials = 20;       ///< comparisons before it may leave the bench
  std::uint32_t bench_pause = 10;  ///< epochs between two trials of a benched network
};

/// A network that chooses, and goes on learning online from the results. It is benched, that is not
/// used, until it has lately been predicted to be better than the best heuristic.
class OnlineLearner {
 public:
  OnlineLearner(NamedNetwork member, const OnlineLearnerRules& rules, const Rng& rng);

  const std::string& name() const { return name_; }

  // In predicted worlds: nothing is learnt from these choices.
  void begin(const QueueWorld& world) { chooser_.begin(world.tasks(), world.options().origin); }
  std::uint32_t choose(const QueueWorld& world) { return chooser_.choose(ppo_.net(), world); }
  double confidence() const { return chooser_.confidence(); }

  /// Chooses in the real queue: the choice is recorded, and rewarded by what becomes of the jobs it
  /// starts.
  std::uint32_t act(const QueueWorld& world);
  /// A job that the last act() started.
  void on_started(JobId job, double cost);
  void on_ended(const JobFeedback& feedback);

  /// Takes its predicted cost and that of the best heuristic into account for benching.
  void compare(double own, double best);
  bool is_benched() const { return benched_; }
  /// Whether it is to be tried in this epoch.
  bool is_due();
  std::uint64_t updates() const { return ppo_.updates(); }

 private:
  struct Step {
    std::vector<float> items{};
    std::vector<float> globals{};
    ChosenAction taken{};
    double reward = 0;
    std::uint32_t open = 0;  ///< jobs of it that have not ended
  };
  void learn_if_enough();

  std::string name_;
  OnlineLearnerRules rules_;
  Ppo ppo_;
  NetChooser chooser_;

  std::deque<Step> steps_;   ///< not learnt from yet
  std::uint64_t first_ = 0;  ///< number of the first of them
  struct Started {
    std::uint64_t step = 0;
    double cost = 0;
  };
  std::map<JobId, Started> jobs_;
  double mean_loss_ = 0;  ///< by which rewards are scaled
  std::uint64_t losses_seen_ = 0;

  double record_ = 0;  ///< own cost against the best heuristic's, less 1; newest count most
  std::uint32_t compared_ = 0;
  std::uint32_t pause_ = 0;
  bool benched_ = true;
};

}  // namespace penstock
