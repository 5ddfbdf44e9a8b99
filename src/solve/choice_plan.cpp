#include "solve/choice_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "solve/linear_program.h"

namespace penstock {
namespace {

/// A plan as it grows, and what it leaves.
class GrowingPlan {
 public:
  explicit GrowingPlan(const ChoiceProblem& problem)
      : problem_(problem), left_(problem.capacities), chosen_(problem.items.size()) {}

  double value_of(std::uint32_t item) const {
    return chosen_[item] ? problem_.items[item][*chosen_[item]].value : 0;
  }
  bool fits(std::uint32_t item, const ItemChoice& choice) const {
    std::uint32_t room = left_[choice.resource];
    if (chosen_[item]) {
      const ItemChoice& own = problem_.items[item][*chosen_[item]];
      if (own.resource == choice.resource) room += own.amount;
    }
    return choice.amount <= room;
  }
  void choose(std::uint32_t item, std::uint32_t which) {
    if (chosen_[item]) {
      const ItemChoice& own = problem_.items[item][*chosen_[item]];
      left_[own.resource] += own.amount;
    }
    const ItemChoice& choice = problem_.items[item][which];
    left_[choice.resource] -= choice.amount;
    chosen_[item] = which;
  }
  /// Gives the item the best choice that there is room for; false if it has it.
  bool improve(std::uint32_t item) {
    std::optional<std::uint32_t> best;
    double most = value_of(item);
    for (std::uint32_t i = 0; i < problem_.items[item].size(); ++i) {
      const ItemChoice& choice = problem_.items[item][i];
      if (choice.value <= most || !fits(item, choice)) continue;
      most = choice.value;
      best = i;
    }
    if (best) choose(item, *best);
    return best.has_value();
  }
  void improve_all() {
    for (bool better = true; better;) {
      better = false;
      for (std::uint32_t item = 0; item < chosen_.size(); ++item) better |= improve(item);
    }
  }

  ChoicePlan plan(double at_most) const {
    ChoicePlan plan{.chosen = chosen_, .at_most = at_most};
    for (std::uint32_t item = 0; item < chosen_.size(); ++item) plan.value += value_of(item);
    return plan;
  }

 private:
  const ChoiceProblem& problem_;
  std::vector<std::uint32_t> left_;
  std::vector<std::optional<std::uint32_t>> chosen_;
};

/// The problem as a program: a column for each choice that is worth something and fits by itself.
class ChoiceProgram {
 public:
  explicit ChoiceProgram(const ChoiceProblem& problem) : problem_(problem) {
    std::vector<std::vector<LinearProgram::Term>> takes(problem.capacities.size());
    for (std::uint32_t item = 0; item < problem.items.size(); ++item) {
      std::vector<LinearProgram::Term> one;
      for (std::uint32_t i = 0; i < problem.items[item].size(); ++i) {
        const ItemChoice& choice = problem.items[item][i];
        if (choice.value <= 0 || choice.amount > problem.capacities[choice.resource]) continue;
        const int column = program_.add({.cost = -choice.value, .upper = 1, .whole = true});
        columns_.push_back({item, i});
        one.push_back({column, 1});
        if (choice.amount > 0)
          takes[choice.resource].push_back({column, static_cast<double>(choice.amount)});
      }
      if (!one.empty()) program_.add_row(one, -kNoLimit, 1);
    }
    for (std::size_t i = 0; i < takes.size(); ++i)
      if (!takes[i].empty()) program_.add_row(takes[i], -kNoLimit, problem.capacities[i]);
  }

  const LinearProgram& program() const { return program_; }
  std::size_t size() const { return columns_.size(); }

  /// The choices that a solution takes wholly, and then the best that there is room for.
  GrowingPlan rounded(const std::vector<double>& values) const {
    GrowingPlan plan(problem_);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto [item, which] = columns_[i];
      if (values[i] > 1 - kTolerance && plan.fits(item, problem_.items[item][which]))
        plan.choose(item, which);
    }
    plan.improve_all();
    return plan;
  }

 private:
  static constexpr double kTolerance = 1e-6;
  struct Which {
    std::uint32_t item = 0;
    std::uint32_t choice = 0;
  };
  const ChoiceProblem& problem_;
  std::vector<Which> columns_;
  LinearProgram program_;
};

/// What all items are worth if each has its best choice.
double best_of_all(const ChoiceProblem& problem) {
  double sum = 0;
  for (const auto& choices : problem.items) {
    double most = 0;
    for (const ItemChoice& choice : choices) most = std::max(most, choice.value);
    sum += most;
  }
  return sum;
}

}  // namespace

ChoicePlan choose_within(const ChoiceProblem& problem, const ChoiceLimits& limits) {
  GrowingPlan greedy(problem);
  greedy.improve_all();
  ChoicePlan best = greedy.plan(best_of_all(problem));
  const auto is_good = [&] { return best.value >= best.at_most * (1 - limits.gap) - 1e-9; };
  const auto offer = [&](const ChoicePlan& plan) {
    if (plan.value > best.value) best = {plan.chosen, plan.value, best.at_most};
  };
  if (is_good()) return best;
  const ChoiceProgram program(problem);
  const auto relaxed = solve_relaxed(program.program());
  PENSTOCK_CHECK(relaxed.has_value());  // choosing nothing is possible
  best.at_most = std::min(best.at_most, -relaxed->at_least);
  offer(program.rounded(relaxed->values).plan(0));
  if (is_good() || program.size() > limits.most) return best;
  const WholeAnswer whole = solve_whole(
      program.program(), {.below = -best.value, .gap = limits.gap, .nodes = limits.nodes});
  best.at_most = std::max(best.value, std::min(best.at_most, -whole.at_least));
  if (!whole.values.empty()) offer(program.rounded(whole.values).plan(0));
  return best;
}

}  // namespace penstock
