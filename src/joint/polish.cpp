#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "joint/local_search.h"

namespace penstock {
namespace {

/// Moves that are tried at most over all plans, for each random plan that there was.
constexpr std::uint64_t kTried = 20;
constexpr std::size_t kMostChanges = 250;  ///< of one job: problems with more are left alone
constexpr int kMostPerturbations = 200;
constexpr std::uint64_t kMostMoved = 5;  ///< jobs that one kick puts elsewhere, at most

/// How many ways there are to put one job somewhere, or to let it wait.
std::size_t changes_of(const JointProblem& problem) {
  std::size_t count = problem.jobs.size();
  for (const JointJob& job : problem.jobs)
    for (const JointOption& option : job.options)
      count += static_cast<std::size_t>(std::ranges::count_if(
          problem.nodes, [&](const JointNode& node) { return node.type == option.type; }));
  return count;
}

/// Goes downhill from a plan by any move of one job, which may push others out, of two jobs, or
/// of all jobs of a node; then kicks the plan and goes downhill again.
class Polish {
 public:
  Polish(Search& search, const Assignments& from, Rng rng)
      : search_(search),
        plan_(search.problem, search.evaluator.values(), from),
        cost_(plan_.cost()),
        rng_(rng),
        rank_(search.order.size()) {
    for (std::uint32_t i = 0; i < rank_.size(); ++i) rank_[search.order[i]] = i;
    const JointPlan empty(search.problem, search.evaluator.values());
    for (std::uint32_t job = 0; job < rank_.size(); ++job) {
      changes_.push_back({job, std::nullopt});
      const auto options = static_cast<std::uint32_t>(search.problem.jobs[job].options.size());
      for (std::uint32_t n = 0; n < search.problem.nodes.size(); ++n)
        for (std::uint32_t o = 0; o < options; ++o)
          if (empty.has_room(job, {n, o})) changes_.push_back({job, Assignment{n, o}});
    }
  }

  /// Tries no more than about `most` moves downhill.
  void improve(std::uint64_t most) {
    until_ = search_.evaluated + most;
    descend();
    while (!is_over() && better_pair()) descend();
  }

  /// Goes downhill from plans nearby as well, by about `most` moves; ends at the best of them.
  void perturb(std::uint64_t most) {
    until_ = search_.evaluated + most;
    Assignments best = plan_.jobs();
    double least = cost_;
    for (int perturbations = 0; perturbations < kMostPerturbations && !is_over(); ++perturbations) {
      nodes_first_ = perturbations % 2 == 1;
      shuffle();
      for (std::uint64_t i = rng_.below(kMostMoved) + 1; i > 0; --i) move_any();
      cost_ = plan_.cost();
      descend();
      if (cost_ <= least + tiny(least)) {  // equals too: that leads away from here
        least = cost_;
        best = plan_.jobs();
      } else {
        go_to(best);
      }
    }
    go_to(best);
  }

  const Assignments& plan() const { return plan_.jobs(); }

 private:
  static double tiny(double cost) { return 1e-12 * std::abs(cost); }
  bool is_over() { return search_.evaluated >= until_ || search_.time_budget.is_over(); }

  void go_to(const Assignments& plan) {
    undo_.clear();
    for (std::uint32_t job = 0; job < plan.size(); ++job)
      if (plan[job] != plan_.of(job)) undo_.push_back({job, plan[job]});
    undo_changes(plan_, undo_);
  }

  void descend() {
    while (!is_over() &&
           (nodes_first_ ? better_node() || better_single() : better_single() || better_node())) {
    }
  }

  bool better_single() {
    return std::ranges::any_of(changes_, [&](const Change& it) { return try_move(pushing(it)); });
  }

  bool better_pair() {
    for (std::size_t i = 0; i < changes_.size() && !is_over(); ++i)
      for (std::size_t k = i + 1; k < changes_.size(); ++k)
        if (changes_[i].job != changes_[k].job && try_move({changes_[i], changes_[k]})) return true;
    return false;
  }

  /// All jobs of a node go to another, whose jobs come here.
  bool better_node() {
    const auto nodes = static_cast<std::uint32_t>(search_.problem.nodes.size());
    for (std::uint32_t a = 0; a < nodes; ++a)
      for (std::uint32_t b = a + 1; b < nodes; ++b)
        if (exchange(a, b)) return true;
    return false;
  }

  bool exchange(std::uint32_t a, std::uint32_t b) {
    Changes all;
    for (const bool both : {true, false})
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        all.clear();
        for (const std::uint32_t job : plan_.on(from))
          all.push_back({job, Assignment{to, plan_.of(job)->option}});
        if (both)
          for (const std::uint32_t job : plan_.on(to))
            all.push_back({job, Assignment{from, plan_.of(job)->option}});
        if (!all.empty() && try_move(all)) return true;
      }
    return false;
  }

  /// The change, and that jobs in its way wait, the least pressing first.
  Changes pushing(const Change& change) {
    Changes all{change};
    if (!change.to) return all;
    const auto slices = [&](std::uint32_t job, std::uint32_t option) {
      return search_.problem.jobs[job].options[option].slices;
    };
    std::vector<std::uint32_t> there = plan_.on(change.to->node);
    std::ranges::sort(there, {}, [&](std::uint32_t job) { return rank_[job]; });
    std::uint32_t gone = 0;
    if (std::erase(there, change.job) > 0) gone += slices(change.job, plan_.of(change.job)->option);
    const std::uint32_t needed = slices(change.job, change.to->option);
    while (plan_.filling().free_without(change.to->node, gone) < needed) {
      const std::uint32_t out = there.back();
      there.pop_back();
      gone += slices(out, plan_.of(out)->option);
      all.push_back({out, std::nullopt});
    }
    return all;
  }

  /// Who is pushed out first.
  void shuffle() {
    for (std::size_t i = rank_.size(); i > 1; --i) std::swap(rank_[i - 1], rank_[rng_.below(i)]);
  }

  void move_any() {
    const Change& change = changes_[rng_.below(changes_.size())];
    if (plan_.of(change.job) != change.to) apply(plan_, pushing(change), search_, undo_);
  }

  bool try_move(const Changes& changes) {
    for (const Change& change : changes)
      if (plan_.of(change.job) == change.to) return false;
    if (!apply(plan_, changes, search_, undo_)) return false;
    ++search_.evaluated;
    const double cost = plan_.cost();
    if (cost < cost_ - tiny(cost_)) {
      cost_ = cost;
      return true;
    }
    undo_changes(plan_, undo_);
    return false;
  }

  Search& search_;
  JointPlan plan_;
  double cost_;
  Rng rng_;
  std::vector<std::uint32_t> rank_;  ///< of jobs in the order of pressure
  Changes changes_;                  ///< all there are of one job
  Changes undo_;
  std::uint64_t until_ = 0;
  bool nodes_first_ = false;
};

}  // namespace

ElitePool polish(Search& search, const ElitePool& pool) {
  if (search.problem.jobs.empty() || changes_of(search.problem) > kMostChanges) return pool;
  ElitePool better(pool.plans().size());
  for (const ScoredPlan& found : pool.plans()) better.offer(found);
  std::uint64_t number = 3ull * search.settings.iterations;
  const auto offer = [&](const Assignments& plan) {
    better.offer({search.evaluator.cost(plan), ++number, plan});
  };
  const std::uint64_t most = kTried * search.settings.iterations;
  const Rng chance = Rng(search.settings.seed).stream("polish");
  for (const ScoredPlan& found : pool.plans()) {
    Polish it(search, found.plan, chance);
    it.improve(most / 2 / pool.plans().size());
    offer(it.plan());
  }
  Polish best(search, better.plans().front().plan, chance);
  best.perturb(most / 2);
  offer(best.plan());
  return better;
}

}  // namespace penstock
