#pragma once

#include <deque>
#include <map>
#include <string>

#include "learn/mars/ensemble.h"
#include "learn/mars/guide.h"
#include "learn/mars/net_chooser.h"
#include "learn/net/ppo.h"

namespace penstock {

struct ApprenticeRules {
  std::uint32_t window = 128;  ///< tasks that it sees at a time
  bool learns = true;          ///< from what became of the jobs it started
  std::uint32_t lesson = 256;  ///< choices that make one update
  double tolerance = 0.02;     ///< how much worse than the best heuristic one that won may become
  std::uint32_t trials = 20;   ///< comparisons before it may leave the bench
  std::uint32_t bench_pause = 10;  ///< epochs between two trials of a benched network
};

/// A network at work: it chooses, learns from what its choices brought, and sits on the bench until
/// it has been better than the best heuristic of late.
class Apprentice {
 public:
  Apprentice(Member member, const ApprenticeRules& rules, const Rng& rng);

  const std::string& name() const { return name_; }

  // On beliefs: nothing is learnt from them.
  void begin(const QueueWorld& world) { chooser_.begin(world.tasks(), world.options().origin); }
  std::uint32_t choose(const QueueWorld& world) { return chooser_.choose(ppo_.net(), world); }
  double confidence() const { return chooser_.confidence(); }

  /// The same in truth: the choice is noted, and rewarded by what becomes of whom it starts.
  std::uint32_t act(const QueueWorld& world);
  /// Whom the last act started.
  void started(JobId job, double cost);
  void hear(const Feedback& feedback);

  /// How it would do by prediction, against the best heuristic.
  void compare(double own, double best);
  bool is_benched() const { return benched_; }
  /// Whether it is to be tried in this epoch.
  bool is_due();
  std::uint64_t updates() const { return ppo_.updates(); }

 private:
  struct Step {
    std::vector<float> items{};
    std::vector<float> globals{};
    Taken taken{};
    double reward = 0;
    std::uint32_t open = 0;  ///< jobs of it that have not ended
  };
  void learn_if_enough();

  std::string name_;
  ApprenticeRules rules_;
  Ppo ppo_;
  NetChooser chooser_;

  std::deque<Step> steps_;   ///< whose lesson is still to come
  std::uint64_t first_ = 0;  ///< number of the first of them
  struct Started {
    std::uint64_t step = 0;
    double cost = 0;
  };
  std::map<JobId, Started> jobs_;
  double mean_loss_ = 0;  ///< by which rewards are scaled
  std::uint64_t heard_ = 0;

  double record_ = 0;  ///< own cost against the best heuristic's, less 1; newest count most
  std::uint32_t compared_ = 0;
  std::uint32_t pause_ = 0;
  bool benched_ = true;
};

}  // namespace penstock
