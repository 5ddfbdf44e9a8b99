#pragma once

#include "learn/net/windows.h"

namespace penstock {

/// What an actor did in a window, and what it and its critic thought of it then.
struct Taken {
  std::uint32_t action = 0;  ///< the item's number within its window
  double log_probability = 0;
  double value = 0;
};

/// How good each step turned out to be.
struct Outcomes {
  std::vector<double> advantages{};
  std::vector<double> returns{};
};

/// What happened in some worlds side by side, each on its own track: steps, and the rewards that
/// followed each.
class Rollout {
 public:
  Rollout(std::uint32_t item_features, std::uint32_t global_features, std::uint32_t tracks);

  void clear();
  /// The world's next step. The action must be one that the window allows.
  void add(std::uint32_t track, const Window& window, const Taken& taken);
  /// Adds to what the track's last step has brought.
  void reward(std::uint32_t track, double amount);
  /// The track's last step was the last of an episode: nothing follows. Also means the end of
  /// the recording, where nothing else is said.
  void end(std::uint32_t track);
  /// The recording stops amid an episode that is expected to bring this much more.
  void cut(std::uint32_t track, double value);
  /// Another recording's steps, on tracks of their own.
  void append(const Rollout& other);

  std::size_t size() const { return steps_.size(); }
  const Windows& windows() const { return windows_; }
  const Taken& taken(std::size_t step) const { return steps_[step].taken; }
  double reward_of(std::size_t step) const { return steps_[step].reward; }

  /// By generalised advantage estimation (Schulman et al., arXiv 1506.02438).
  Outcomes outcomes(double gamma, double lambda) const;

 private:
  struct Step {
    std::uint32_t track = 0;
    Taken taken{};
    double reward = 0;
    bool ends = false;
    double after = 0;  ///< expected beyond the end
  };
  Step& last(std::uint32_t track);

  Windows windows_;
  std::vector<Step> steps_;
  std::vector<std::size_t> last_;  ///< step by track; kNone if there is none
};

}  // namespace penstock
