#include "policies/order/timeline.h"

namespace penstock {

void Timeline::advance(Time now) {
  now_ = std::max(now_, now);
  while (const auto* first = changes_.first()) {
    if (first->key > now_) break;
    now_free_ += first->value;
    changes_.erase(first->key);
  }
}

void Timeline::change(Time from, std::int64_t gpus) {
  if (from <= now_) {
    now_free_ += gpus;
    return;
  }
  const std::int64_t* there = changes_.find(from);
  if (there == nullptr) {
    changes_.insert(from, gpus);
  } else if (*there + gpus == 0) {
    changes_.erase(from);
  } else {
    changes_.assign(from, *there + gpus);
  }
}

std::int64_t Timeline::free_at(Time t) const {
  if (t <= now_) return now_free_;
  const Sums sums = changes_.up_to(t);
  return now_free_ + (sums.any ? sums.total : 0);
}

Time Timeline::first_below(std::int64_t gpus, Time from) const {
  if (free_at(from) < gpus) return from;
  const auto* found = changes_.first_that(&from, [&](const Sums& before, const Sums& run) {
    return run.any && now_free_ + before.total + run.least < gpus;
  });
  return found == nullptr ? Time::max() : found->key;
}

Time Timeline::first_at_least(std::int64_t gpus, Time from) const {
  if (free_at(from) >= gpus) return from;
  const auto* found = changes_.first_that(&from, [&](const Sums& before, const Sums& run) {
    return run.any && now_free_ + before.total + run.most >= gpus;
  });
  return found == nullptr ? Time::max() : found->key;
}

Time Timeline::earliest_fit(std::int64_t gpus, Duration length) const {
  Time start = first_at_least(gpus, now_);
  while (start != Time::max()) {
    const Time end = first_below(gpus, start);
    if (end == Time::max() || end - start >= length) return start;
    start = first_at_least(gpus, end);
  }
  return Time::max();
}

}  // namespace penstock
