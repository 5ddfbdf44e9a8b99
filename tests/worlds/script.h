#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "policy/policy.h"

namespace penstock {

/// Does what it was told when it was told, or as soon after as it is asked.
class Script final : public Policy {
 public:
  using Line = std::pair<Time, Action>;
  explicit Script(std::vector<Line> lines) : lines_(std::move(lines)) {}
  Decision decide(const View& view) override {
    Decision decision;
    for (; at_ < lines_.size() && lines_[at_].first <= view.now; ++at_)
      decision.actions.push_back(lines_[at_].second);
    if (at_ < lines_.size()) decision.ask_again = lines_[at_].first;
    return decision;
  }

 private:
  std::vector<Line> lines_;  ///< in order of time
  std::size_t at_ = 0;
};

}  // namespace penstock
