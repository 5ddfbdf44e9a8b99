#include <algorithm>
#include <limits>

#include "joint/local_search.h"

namespace penstock {
namespace {

/// A walk from one plan to another, one job at a time, each step the best there is.
class Walk {
 public:
  Walk(Search& search, const Assignments& from, const Assignments& guide)
      : search_(search), plan_(search.problem, search.evaluator.values(), from), guide_(guide) {}

  /// The best complete plan on the way.
  void offer_best(ElitePool& pool, std::uint64_t number) {
    double least = std::numeric_limits<double>::infinity();
    Assignments best;
    for (std::size_t i = 0; i < search_.problem.nodes.size(); ++i) {
      if (search_.time_budget.is_over() || !step()) break;
      const double cost = plan_.cost();
      if (cost >= least) continue;
      least = cost;
      best = plan_.jobs();
    }
    if (best.empty()) return;
    JointPlan whole(search_.problem, search_.evaluator.values(), best);
    complete(whole, search_);
    const double cost = search_.evaluator.cost(whole.jobs());
    if (pool.would_take(cost)) pool.offer({cost, number, whole.jobs()});
  }

 private:
  /// Where a job has room in the guide's way: its node there, or the best that fits.
  std::optional<Assignment> target(std::uint32_t job) const {
    const Assignment wanted = *guide_[job];
    if (plan_.has_room(job, wanted)) return wanted;
    const JointOption& option = search_.problem.jobs[job].options[wanted.option];
    const auto node = plan_.filling().best_fit(option.type, option.slices);
    if (!node) return std::nullopt;
    const Assignment there{*node, wanted.option};
    if (plan_.of(job) == there) return std::nullopt;
    return there;
  }

  bool arrived(std::uint32_t job) const {
    if (!guide_[job] || !plan_.of(job)) return guide_[job] == plan_.of(job);
    // Elsewhere but in the same way is near enough: nodes of a type are alike.
    return guide_[job]->option == plan_.of(job)->option;
  }

  bool step() {
    std::optional<Change> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t job = 0; job < guide_.size(); ++job) {
      if (arrived(job)) continue;
      Change change{job, std::nullopt};
      if (guide_[job]) change.to = target(job);
      if (guide_[job] && !change.to) continue;
      const double cost = look_ahead(change);
      if (cost >= least) continue;
      least = cost;
      best = change;
    }
    if (!best) return false;
    plan_.set(best->job, best->to);
    return true;
  }

  /// The cost after a change, or after one more that it makes room for.
  double look_ahead(const Change& change) {
    const auto before = plan_.of(change.job);
    plan_.set(change.job, change.to);
    ++search_.evaluated;
    double least = plan_.cost();
    if (before)
      for (const std::uint32_t next : wanting(before->node)) {
        if (next == change.job || arrived(next) || !plan_.has_room(next, *guide_[next])) continue;
        const auto old = plan_.of(next);
        plan_.set(next, guide_[next]);
        ++search_.evaluated;
        least = std::min(least, plan_.cost());
        plan_.set(next, old);
      }
    plan_.set(change.job, before);
    return least;
  }

  /// Jobs that the guide has on a node.
  const std::vector<std::uint32_t>& wanting(std::uint32_t node) {
    if (wanting_.empty()) {
      wanting_.resize(search_.problem.nodes.size());
      for (std::uint32_t job = 0; job < guide_.size(); ++job)
        if (guide_[job]) wanting_[guide_[job]->node].push_back(job);
    }
    return wanting_[node];
  }

  Search& search_;
  JointPlan plan_;
  const Assignments& guide_;
  std::vector<std::vector<std::uint32_t>> wanting_;
};

}  // namespace

ElitePool relink(Search& search, const ElitePool& pool) {
  ElitePool better(pool.plans().size());
  for (const ScoredPlan& found : pool.plans()) better.offer(found);
  std::uint64_t number = 2ull * search.settings.iterations;
  const ScoredPlan& incumbent = pool.plans().front();
  for (std::size_t i = 1; i < pool.plans().size(); ++i) {
    if (search.time_budget.is_over()) break;
    Walk(search, incumbent.plan, pool.plans()[i].plan).offer_best(better, ++number);
  }
  return better;
}

}  // namespace penstock
