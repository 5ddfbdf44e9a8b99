#include "joint/local_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace penstock {
namespace {

std::optional<std::uint32_t> option_with(const JointJob& job, std::uint32_t type,
                                         std::uint32_t slices) {
  for (std::uint32_t o = 0; o < job.options.size(); ++o)
    if (job.options[o].type == type && job.options[o].slices == slices) return o;
  return std::nullopt;
}

template <class With>
void for_pairs(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
               With with) {
  for (const std::uint32_t a : first)
    for (const std::uint32_t b : second)
      if (a != b) with(a, b);
}

}  // namespace

Moves::Moves(const JointPlan& plan, const Search& search, std::size_t most_jobs)
    : plan_(plan), problem_(plan.problem()) {
  for (const std::uint32_t job : search.order) {
    auto& list = plan.of(job) ? pressing_ : waiting_;
    if (plan.of(job)) relaxed_.push_back(job);
    if (list.size() < most_jobs) list.push_back(job);
  }
  expensive_ = relaxed_;
  const auto cost = [&](std::uint32_t job) {
    return option_cost(problem_, problem_.jobs[job].options[plan.of(job)->option]);
  };
  const std::size_t some = std::min(most_jobs, expensive_.size());
  const auto middle = expensive_.begin() + static_cast<std::ptrdiff_t>(some);
  std::partial_sort(expensive_.begin(), middle, expensive_.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return std::pair(-cost(a), a) < std::pair(-cost(b), b);
                    });
  expensive_.resize(some);
  std::ranges::reverse(relaxed_);
  relaxed_.resize(std::min(most_jobs, relaxed_.size()));
}

void Moves::list(std::size_t kind, const Visit& visit) const {
  const auto swap = [&](std::uint32_t a, std::uint32_t b) { exchange(a, b, visit); };
  if (kind == 0) for_pairs(pressing_, expensive_, swap);
  if (kind == 1) for_pairs(pressing_, relaxed_, swap);
  if (kind == 2)
    for_pairs(waiting_, relaxed_, [&](std::uint32_t a, std::uint32_t b) { replace(a, b, visit); });
  for (const std::uint32_t job : pressing_) {
    if (kind == 3) change_type(job, visit);
    if (kind == 4) change_size(job, true, visit);
    if (kind == 5) change_size(job, false, visit);
    if (kind == 6) divide(job, visit);
  }
}

/// Two jobs change nodes, each with the same number of GPUs as the other had or as it has.
void Moves::exchange(std::uint32_t a, std::uint32_t b, const Visit& visit) const {
  if (!plan_.of(a) || !plan_.of(b)) return;
  const Assignment at_a = *plan_.of(a);
  const Assignment at_b = *plan_.of(b);
  if (at_a.node == at_b.node) return;
  const JointJob& job_a = problem_.jobs[a];
  const JointJob& job_b = problem_.jobs[b];
  const JointOption& now_a = job_a.options[at_a.option];
  const JointOption& now_b = job_b.options[at_b.option];
  for (const bool as_other : {true, false}) {
    if (!as_other && now_a.slices == now_b.slices) continue;
    const auto new_a = option_with(job_a, now_b.type, as_other ? now_b.slices : now_a.slices);
    const auto new_b = option_with(job_b, now_a.type, as_other ? now_a.slices : now_b.slices);
    if (new_a && new_b)
      visit(std::array{Change{a, Assignment{at_b.node, *new_a}},
                       Change{b, Assignment{at_a.node, *new_b}}});
  }
}

/// A waiting job takes the place of a running one, with any of its options that has room.
void Moves::replace(std::uint32_t waiting, std::uint32_t running, const Visit& visit) const {
  if (plan_.of(waiting) || !plan_.of(running)) return;
  const std::uint32_t node = plan_.of(running)->node;
  const JointOption& left = problem_.jobs[running].options[plan_.of(running)->option];
  const std::uint32_t room = plan_.filling().free_without(node, left.slices);
  const JointJob& job = problem_.jobs[waiting];
  for (std::uint32_t o = 0; o < job.options.size(); ++o)
    if (job.options[o].type == left.type && job.options[o].slices <= room)
      visit(std::array{Change{running, std::nullopt}, Change{waiting, Assignment{node, o}}});
}

/// To another type, or another node of its type.
void Moves::change_type(std::uint32_t job, const Visit& visit) const {
  if (!plan_.of(job)) return;
  const Assignment at = *plan_.of(job);
  const JointJob& it = problem_.jobs[job];
  for (std::uint32_t o = 0; o < it.options.size(); ++o) {
    const JointOption& option = it.options[o];
    for (const std::uint32_t rank : {0u, 1u}) {
      const auto node = plan_.filling().best_fit(option.type, option.slices, rank);
      if (node && *node != at.node) visit(std::array{Change{job, Assignment{*node, o}}});
    }
  }
}

void Moves::change_size(std::uint32_t job, bool larger, const Visit& visit) const {
  if (!plan_.of(job)) return;
  const Assignment at = *plan_.of(job);
  const JointJob& it = problem_.jobs[job];
  const JointOption& now = it.options[at.option];
  for (std::uint32_t o = 0; o < it.options.size(); ++o) {
    const JointOption& other = it.options[o];
    if (other.type == now.type && other.slices != now.slices &&
        (other.slices > now.slices) == larger)
      visit(std::array{Change{job, Assignment{at.node, o}}});
  }
}

void Moves::divide(std::uint32_t job, const Visit& visit) const {
  if (!plan_.of(job)) return;
  const std::vector<std::uint32_t> there = plan_.on(plan_.of(job)->node);  // moves may be tried
  for (const std::uint32_t other : there)
    if (other != job) divide_with(job, other, visit);
}

/// What one job of a node gives up, the other takes; or it takes all and the other waits.
void Moves::divide_with(std::uint32_t job, std::uint32_t other, const Visit& visit) const {
  if (!plan_.of(job) || !plan_.of(other) || plan_.of(job)->node != plan_.of(other)->node) return;
  const Assignment at = *plan_.of(job);
  const JointJob& it = problem_.jobs[job];
  const JointOption& now = it.options[at.option];
  const JointJob& neighbour = problem_.jobs[other];
  const std::uint32_t theirs = neighbour.options[plan_.of(other)->option].slices;
  const std::uint32_t room = now.slices + theirs + plan_.filling().free(at.node);
  for (std::uint32_t o = 0; o < it.options.size(); ++o) {
    const JointOption& mine = it.options[o];
    if (mine.type != now.type || mine.slices == now.slices || mine.slices > room) continue;
    for (std::uint32_t p = 0; p < neighbour.options.size(); ++p)
      if (neighbour.options[p].type == now.type &&
          neighbour.options[p].slices + mine.slices <= room)
        visit(
            std::array{Change{job, Assignment{at.node, o}}, Change{other, Assignment{at.node, p}}});
    visit(std::array{Change{other, std::nullopt}, Change{job, Assignment{at.node, o}}});
  }
}

void undo_changes(JointPlan& plan, const Changes& undo) {
  for (const Change& change : undo) plan.set(change.job, std::nullopt);
  for (const Change& change : undo)
    if (change.to) plan.set(change.job, change.to);
}

namespace {

/// Starts waiting jobs on nodes where some left, and those that left anywhere: so a plan that was
/// complete before the changes is complete after them.
void start_waiting(JointPlan& plan, std::span<const Change> changes, const Search& search,
                   std::vector<std::uint32_t>& nodes, Changes& undo) {
  const auto forget_full = [&] {
    std::erase_if(nodes, [&](std::uint32_t node) { return plan.filling().free(node) == 0; });
  };
  forget_full();
  if (plan.waiting() == 0) return;
  for (auto job = search.order.begin(); job != search.order.end() && !nodes.empty(); ++job) {
    if (plan.of(*job) || !start_on_any(plan, *job, search, nodes)) continue;
    if (std::ranges::find(undo, *job, &Change::job) == undo.end())
      undo.push_back({*job, std::nullopt});
    forget_full();
  }
  for (const Change& change : changes)
    if (!change.to && !plan.of(change.job)) start_anywhere(plan, change.job, search);
}

}  // namespace

bool apply(JointPlan& plan, std::span<const Change> changes, const Search& search, Changes& undo) {
  undo.clear();
  std::vector<std::uint32_t> nodes;
  for (const Change& change : changes) {
    const auto at = plan.of(change.job);
    undo.push_back({change.job, at});
    if (at && std::ranges::find(nodes, at->node) == nodes.end()) nodes.push_back(at->node);
    plan.set(change.job, std::nullopt);
  }
  for (const Change& change : changes) {
    if (!change.to) continue;
    if (!plan.has_room(change.job, *change.to)) {
      undo_changes(plan, undo);
      return false;
    }
    plan.set(change.job, change.to);
  }
  start_waiting(plan, changes, search, nodes, undo);
  return true;
}

namespace {

constexpr std::size_t kMostJobs = 10;  // as published
constexpr int kMostRounds = 10;

/// Makes a move if it improves the plan, whose cost follows.
bool improves(JointPlan& plan, std::span<const Change> changes, Search& search, double& cost) {
  const double tiny = 1e-12 * std::abs(cost);
  const ChangeEstimate estimate = plan.estimate(changes);
  if (!estimate.has_room) return false;
  if (estimate.is_exact && estimate.cost >= -tiny) {
    ++search.evaluated;
    return false;
  }
  Changes undo;
  if (!apply(plan, changes, search, undo)) return false;
  ++search.evaluated;
  const double after = plan.cost();
  if (after < cost - tiny) {
    cost = after;
    return true;
  }
  undo_changes(plan, undo);
  return false;
}

/// Makes every improving move as it is found, of each kind in turn; false if there was none.
bool improve(JointPlan& plan, Search& search, double& cost) {
  const Moves moves(plan, search, kMostJobs);
  bool improved = false;
  for (std::size_t kind = 0; kind < Moves::kKinds; ++kind) {
    if (search.time_budget.is_over()) break;
    moves.list(kind, [&](std::span<const Change> changes) {
      if (improves(plan, changes, search, cost)) improved = true;
    });
  }
  return improved;
}

}  // namespace

ElitePool local_search(Search& search, const ElitePool& pool) {
  ElitePool better(pool.plans().size());
  for (const ScoredPlan& found : pool.plans()) better.offer(found);
  std::uint64_t number = search.settings.iterations;
  for (const ScoredPlan& found : pool.plans()) {
    if (search.time_budget.is_over()) break;
    JointPlan plan(search.problem, search.evaluator.values(), found.plan);
    double cost = plan.cost();
    int rounds = 0;
    while (rounds < kMostRounds && improve(plan, search, cost)) ++rounds;
    if (rounds > 0) better.offer({search.evaluator.cost(plan.jobs()), ++number, plan.jobs()});
  }
  return better;
}

}  // namespace penstock
