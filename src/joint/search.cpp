#include "joint/search.h"

#include <algorithm>

namespace penstock {

void ElitePool::offer(Found found) {
  for (Found& known : plans_) {
    if (known.cost != found.cost || known.plan != found.plan) continue;
    known.number = std::min(known.number, found.number);
    std::ranges::sort(plans_, [](const Found& a, const Found& b) { return a.better_than(b); });
    return;
  }
  const auto place =
      std::ranges::find_if(plans_, [&](const Found& known) { return found.better_than(known); });
  if (place == plans_.end() && plans_.size() >= size_) return;
  plans_.insert(place, std::move(found));
  if (plans_.size() > size_) plans_.pop_back();
}

Patience::Patience(std::optional<Duration> limit) {
  if (limit) until_ = std::chrono::steady_clock::now() + *limit;
}

bool Patience::is_over() {
  if (!until_) return false;
  if (over_.load(std::memory_order_relaxed)) return true;
  if (std::chrono::steady_clock::now() < *until_) return false;
  over_.store(true, std::memory_order_relaxed);
  return true;
}

namespace {

/// Late jobs would rather waste no GPU than be fast.
std::vector<Wishes> thrifty(const JointProblem& problem, std::vector<Wishes> wishes) {
  for (std::size_t j = 0; j < wishes.size(); ++j) {
    const auto& options = problem.jobs[j].options;
    std::stable_sort(wishes[j].options.begin() + wishes[j].in_time, wishes[j].options.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return options[a].slices * options[a].seconds <
                              options[b].slices * options[b].seconds;
                     });
  }
  return wishes;
}

}  // namespace

Search begin_search(const JointProblem& problem, const JointSettings& settings,
                    Patience& patience) {
  Search search{.problem = problem,
                .settings = settings,
                .patience = patience,
                .wishes = all_wishes(problem),
                .thrifty_wishes = {},
                .order = {}};
  if (settings.aim == JointAim::pace) {
    search.order = Values(problem).order();
    search.thrifty_wishes = thrifty(problem, search.wishes);
  } else {
    search.order = by_pressure(problem);
  }
  return search;
}

bool start_on_any(JointPlan& plan, std::uint32_t job, const Search& search,
                  std::span<const std::uint32_t> nodes) {
  for (const std::uint32_t option : search.wishes[job].options)
    for (const std::uint32_t node : nodes) {
      const Assignment there{node, option};
      if (!plan.has_room(job, there)) continue;
      plan.set(job, there);
      return true;
    }
  return false;
}

void start_anywhere(JointPlan& plan, std::uint32_t job, const Search& search) {
  for (const std::uint32_t option : search.wishes[job].options) {
    const JointOption& it = plan.problem().jobs[job].options[option];
    const auto node = plan.filling().best_fit(it.type, it.slices);
    if (node) return plan.set(job, Assignment{*node, option});
  }
}

void complete(JointPlan& plan, const Search& search) {
  for (const std::uint32_t job : search.order) {
    if (plan.filling().free() == 0) return;
    if (!plan.of(job)) start_anywhere(plan, job, search);
  }
}

}  // namespace penstock
