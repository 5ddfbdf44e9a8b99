#include "joint/filling.h"

#include <algorithm>

#include "base/check.h"

namespace penstock {

Filling::Filling(const JointProblem& problem) : problem_(problem) {
  for (const JointNode& node : problem.nodes) {
    capacity_.push_back(node.gpus * problem.slices);
    levels_ = std::max(levels_, capacity_.back() + 1);
  }
  clear();
}

void Filling::clear() {
  const std::size_t nodes = capacity_.size();
  used_.assign(nodes, 0);
  next_.assign(nodes, kNone);
  previous_.assign(nodes, kNone);
  in_use_.assign(std::size_t(problem_.types) * levels_, kNone);
  unused_ = in_use_;
  free_ = 0;
  for (auto n = static_cast<std::uint32_t>(nodes); n-- > 0;) {  // the first on top
    link(n);
    free_ += capacity_[n];
  }
}

std::uint32_t& Filling::shelf(std::uint32_t node) {
  auto& shelves = used_[node] == 0 ? unused_ : in_use_;
  return shelves[std::size_t(problem_.nodes[node].type) * levels_ + free(node)];
}

void Filling::link(std::uint32_t node) {
  std::uint32_t& first = shelf(node);
  previous_[node] = kNone;
  next_[node] = first;
  if (first != kNone) previous_[first] = node;
  first = node;
}

void Filling::unlink(std::uint32_t node) {
  if (previous_[node] != kNone)
    next_[previous_[node]] = next_[node];
  else
    shelf(node) = next_[node];
  if (next_[node] != kNone) previous_[next_[node]] = previous_[node];
}

void Filling::take(std::uint32_t node, std::uint32_t slices) {
  PENSTOCK_CHECK(slices <= free(node));
  unlink(node);
  used_[node] += slices;
  free_ -= slices;
  link(node);
}

void Filling::give(std::uint32_t node, std::uint32_t slices) {
  PENSTOCK_CHECK(slices <= used_[node]);
  unlink(node);
  used_[node] -= slices;
  free_ += slices;
  link(node);
}

/// Visits nodes from the best fit on, until told to stop.
template <class Visit>
void Filling::visit(std::uint32_t type, std::uint32_t slices, Visit visit) const {
  const std::size_t row = std::size_t(type) * levels_;
  for (std::uint32_t level = slices; level < levels_; ++level)
    for (std::uint32_t n = in_use_[row + level]; n != kNone; n = next_[n])
      if (!visit(n)) return;
  for (std::uint32_t level = levels_; level-- > slices;)
    for (std::uint32_t n = unused_[row + level]; n != kNone; n = next_[n])
      if (!visit(n)) return;
}

std::optional<std::uint32_t> Filling::best_fit(std::uint32_t type, std::uint32_t slices,
                                               std::uint32_t rank) const {
  std::optional<std::uint32_t> best;
  visit(type, slices, [&](std::uint32_t node) {
    best = node;
    return rank-- > 0;
  });
  return best;
}

std::uint32_t Filling::fits(std::uint32_t type, std::uint32_t slices, std::uint32_t most) const {
  std::uint32_t count = 0;
  visit(type, slices, [&](std::uint32_t) { return ++count < most; });
  return count;
}

}  // namespace penstock
