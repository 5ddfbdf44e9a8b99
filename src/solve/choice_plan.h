#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace penstock {

/// One of the choices for an item: what it is worth, and what it takes of one resource.
struct ItemChoice {
  double value = 0;
  std::uint32_t resource = 0;
  std::uint32_t amount = 0;
};

/// For each item at most one of its choices, which together take no more of any resource than there
/// is (a multiple-choice knapsack problem with several knapsacks).
struct ChoiceProblem {
  std::vector<std::vector<ItemChoice>> items{};
  std::vector<std::uint32_t> capacities{};  ///< of each resource
};

/// When a plan is good enough. No limit is one of time: the same problem has always the same plan.
struct ChoiceLimits {
  double gap = 1e-3;            ///< no plan is worth more by such a part
  int nodes = 100;              ///< of the search tree
  std::uint32_t most = 20'000;  ///< choices in all; of more only the relaxed program is solved
};

struct ChoicePlan {
  std::vector<std::optional<std::uint32_t>> chosen{};  ///< of each item; nothing: no choice
  double value = 0;                                    ///< of all choices together
  double at_most = 0;                                  ///< no plan is worth more
};

/// A plan of high value. Choices worth nothing or less are never chosen. If not every item can have
/// its best choice, the linear relaxation is solved and rounded: it leaves no more items undecided
/// than there are resources. If that may be worse than the best by more than the gap, an integer
/// program is solved.
ChoicePlan choose_within(const ChoiceProblem& problem, const ChoiceLimits& limits = {});

}  // namespace penstock
