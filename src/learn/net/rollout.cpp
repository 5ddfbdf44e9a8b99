#include "learn/net/rollout.h"

#include "base/check.h"

namespace penstock {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

}  // namespace

void Windows::clear() {
  starts_.resize(1);
  items_.clear();
  globals_.clear();
  barred_.clear();
}

void Windows::add(const Window& window) {
  const std::size_t items = window.items.size() / item_features_;
  PENSTOCK_CHECK(items * item_features_ == window.items.size());
  PENSTOCK_CHECK(window.globals.size() == global_features_);
  PENSTOCK_CHECK(window.barred.empty() || window.barred.size() == items);
  items_.insert(items_.end(), window.items.begin(), window.items.end());
  globals_.insert(globals_.end(), window.globals.begin(), window.globals.end());
  barred_.insert(barred_.end(), window.barred.begin(), window.barred.end());
  barred_.resize(starts_.back() + items, 0);
  starts_.push_back(starts_.back() + static_cast<std::uint32_t>(items));
}

Window Windows::operator[](std::size_t window) const {
  const std::size_t first = starts_[window];
  const std::size_t items = count(window);
  return {.items = std::span(items_).subspan(first * item_features_, items * item_features_),
          .globals = std::span(globals_).subspan(window * global_features_, global_features_),
          .barred = std::span(barred_).subspan(first, items)};
}

Rollout::Rollout(std::uint32_t item_features, std::uint32_t global_features, std::uint32_t tracks)
    : windows_(item_features, global_features), last_(tracks, kNone) {}

void Rollout::clear() {
  windows_.clear();
  steps_.clear();
  last_.assign(last_.size(), kNone);
}

void Rollout::add(std::uint32_t track, const Window& window, const ChosenAction& taken) {
  PENSTOCK_CHECK(track < last_.size());
  windows_.add(window);
  PENSTOCK_CHECK(taken.action < windows_.count(steps_.size()));
  PENSTOCK_CHECK(windows_[steps_.size()].barred[taken.action] == 0);
  last_[track] = steps_.size();
  steps_.push_back({.track = track, .taken = taken});
}

void Rollout::reward(std::uint32_t track, double amount) {
  last(track).reward += amount;
}

void Rollout::end(std::uint32_t track) {
  last(track).ends = true;
}

void Rollout::cut(std::uint32_t track, double value) {
  Step& step = last(track);
  step.ends = true;
  step.after = value;
}

void Rollout::append(const Rollout& other) {
  const std::size_t mine = steps_.size();
  const auto tracks = static_cast<std::uint32_t>(last_.size());
  for (std::size_t s = 0; s < other.size(); ++s) {
    windows_.add(other.windows_[s]);
    steps_.push_back(other.steps_[s]);
    steps_.back().track += tracks;
  }
  for (const std::size_t step : other.last_) last_.push_back(step == kNone ? kNone : mine + step);
}

Advantages Rollout::advantages(double gamma, double lambda) const {
  Advantages all{std::vector<double>(size()), std::vector<double>(size())};
  std::vector<std::size_t> next(last_.size(), kNone);
  for (std::size_t s = size(); s-- > 0;) {
    const Step& step = steps_[s];
    const std::size_t after = step.ends ? kNone : next[step.track];
    const double value = after == kNone ? step.after : steps_[after].taken.value;
    const double surprise = step.reward + gamma * value - step.taken.value;
    all.advantages[s] = surprise + (after == kNone ? 0 : gamma * lambda * all.advantages[after]);
    all.returns[s] = all.advantages[s] + step.taken.value;
    next[step.track] = s;
  }
  return all;
}

Rollout::Step& Rollout::last(std::uint32_t track) {
  PENSTOCK_CHECK(track < last_.size() && last_[track] != kNone);
  return steps_[last_[track]];
}

}  // namespace penstock
