#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

/// What is known of one choice: a set of items with the same number of features each, features of
/// the whole, and which items may not be chosen. Spans look into their owner.
struct Window {
  std::span<const float> items{};          ///< item by item
  std::span<const float> globals{};        ///< of the whole
  std::span<const std::uint8_t> barred{};  ///< 1: seen, but never chosen; empty: all may be
};

/// Windows of any sizes, stored one after another without padding.
class Windows {
 public:
  Windows(std::uint32_t item_features, std::uint32_t global_features)
      : item_features_(item_features), global_features_(global_features) {}

  void clear();
  /// The window must have as many features as the constructor was given.
  void add(const Window& window);

  Window operator[](std::size_t window) const;
  std::size_t size() const { return starts_.size() - 1; }
  std::uint32_t item_features() const { return item_features_; }
  std::uint32_t global_features() const { return global_features_; }

  /// Items of a window, and of all.
  std::uint32_t count(std::size_t window) const { return starts_[window + 1] - starts_[window]; }
  std::size_t count() const { return starts_.back(); }
  /// The number of each window's first item, and of all items.
  std::span<const std::uint32_t> starts() const { return starts_; }
  /// The part of `by_item`, which has one value for every item, that belongs to a window.
  template <class T>
  std::span<T> of(std::size_t window, std::span<T> by_item) const {
    return by_item.subspan(starts_[window], count(window));
  }

  const std::vector<float>& items() const { return items_; }
  const std::vector<float>& globals() const { return globals_; }

 private:
  std::uint32_t item_features_;
  std::uint32_t global_features_;
  std::vector<std::uint32_t> starts_{0};
  std::vector<float> items_;
  std::vector<float> globals_;
  std::vector<std::uint8_t> barred_;  ///< by item
};

/// The action of an actor in a window, with its probability and the critic's value.
struct ChosenAction {
  std::uint32_t action = 0;  ///< the item's number within its window
  double log_probability = 0;
  double value = 0;
};

/// Advantages and returns of each step.
struct Advantages {
  std::vector<double> advantages{};
  std::vector<double> returns{};
};

/// A recording of several worlds, each on its own track: steps, and the rewards that followed each.
class Rollout {
 public:
  Rollout(std::uint32_t item_features, std::uint32_t global_features, std::uint32_t tracks);

  void clear();
  /// The world's next step. The action must be one that the window allows.
  void add(std::uint32_t track, const Window& window, const ChosenAction& taken);
  /// Adds to the reward of the track's last step.
  void reward(std::uint32_t track, double amount);
  /// The track's last step ended its episode. The end of the recording is taken for the end of an
  /// episode too, unless cut() was called.
  void end(std::uint32_t track);
  /// The recording stops within an episode; `value` is the return expected of the rest.
  void cut(std::uint32_t track, double value);
  /// Another recording's steps, on tracks of their own.
  void append(const Rollout& other);

  std::size_t size() const { return steps_.size(); }
  const Windows& windows() const { return windows_; }
  const ChosenAction& taken(std::size_t step) const { return steps_[step].taken; }

  /// By generalised advantage estimation (Schulman et al., arXiv 1506.02438).
  Advantages advantages(double gamma, double lambda) const;

 private:
  struct Step {
    std::uint32_t track = 0;
    ChosenAction taken{};
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
