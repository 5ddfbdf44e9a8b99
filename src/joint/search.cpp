#include "joint/search.h"

#include <algorithm>

#include "base/in_parallel.h"
#include "joint/builder.h"

namespace penstock {

void ElitePool::offer(ScoredPlan found) {
  for (ScoredPlan& known : plans_) {
    if (known.cost != found.cost || known.plan != found.plan) continue;
    known.number = std::min(known.number, found.number);
    std::ranges::sort(plans_,
                      [](const ScoredPlan& a, const ScoredPlan& b) { return a.better_than(b); });
    return;
  }
  const auto place = std::ranges::find_if(
      plans_, [&](const ScoredPlan& known) { return found.better_than(known); });
  if (place == plans_.end() && plans_.size() >= size_) return;
  plans_.insert(place, std::move(found));
  if (plans_.size() > size_) plans_.pop_back();
}

TimeBudget::TimeBudget(std::optional<Duration> limit) {
  if (limit) until_ = std::chrono::steady_clock::now() + *limit;
}

bool TimeBudget::is_over() {
  if (!until_) return false;
  if (over_.load(std::memory_order_relaxed)) return true;
  if (std::chrono::steady_clock::now() < *until_) return false;
  over_.store(true, std::memory_order_relaxed);
  return true;
}

namespace {

/// Late jobs would rather waste no GPU than be fast.
std::vector<OptionRanking> thrifty(const JointProblem& problem,
                                   std::vector<OptionRanking> rankings) {
  for (std::size_t j = 0; j < rankings.size(); ++j) {
    const auto& options = problem.jobs[j].options;
    std::stable_sort(rankings[j].options.begin() + rankings[j].in_time, rankings[j].options.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return options[a].slices * options[a].seconds <
                              options[b].slices * options[b].seconds;
                     });
  }
  return rankings;
}

}  // namespace

Search begin_search(const JointProblem& problem, const JointSettings& settings,
                    TimeBudget& time_budget) {
  Search search{.problem = problem,
                .settings = settings,
                .time_budget = time_budget,
                .evaluator = PlanEvaluator(problem, settings.aim),
                .rankings = all_rankings(problem),
                .thrifty_rankings = {},
                .order = {}};
  if (settings.aim == JointAim::pace) {
    search.order = search.evaluator.values()->order();
    search.thrifty_rankings = thrifty(problem, search.rankings);
  } else {
    search.order = by_pressure(problem);
  }
  return search;
}

bool start_on_any(JointPlan& plan, std::uint32_t job, const Search& search,
                  std::span<const std::uint32_t> nodes) {
  for (const std::uint32_t option : search.rankings[job].options)
    for (const std::uint32_t node : nodes) {
      const Assignment there{node, option};
      if (!plan.has_room(job, there)) continue;
      plan.set(job, there);
      return true;
    }
  return false;
}

void start_anywhere(JointPlan& plan, std::uint32_t job, const Search& search) {
  for (const std::uint32_t option : search.rankings[job].options) {
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

namespace {

/// Random plans number `first`, `first + step`, …
struct Worker {
  const Search& search;
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  ElitePool pool;
  std::uint64_t evaluated = 0;

  void run() {
    const JointSettings& settings = search.settings;
    Builder builder(search.problem);
    const Rng chance = Rng(settings.seed).stream("random greedy");
    const Randomisation randomisation =
        settings.as_published ? Randomisation::published() : Randomisation{};
    for (std::uint32_t i = first; i < settings.iterations; i += step) {
      if (search.time_budget.is_over()) return;
      const bool thrifty = !search.thrifty_rankings.empty() && i % 2 == 1;
      auto plan =
          builder.randomised(search.order, thrifty ? search.thrifty_rankings : search.rankings,
                             randomisation, chance.stream(i));
      ++evaluated;
      const double cost = search.evaluator.cost(plan);
      if (pool.would_take(cost)) pool.offer({cost, i, std::move(plan)});
    }
  }
};

void offer_greedy(const Search& search, const std::vector<OptionRanking>& rankings,
                  ElitePool& pool) {
  Builder builder(search.problem);
  auto plan = builder.greedy(search.order, rankings);
  const double cost = search.evaluator.cost(plan);
  pool.offer({cost, 0, std::move(plan)});
}

/// To let everybody go on as he does may be best.
void offer_untouched(Search& search, ElitePool& pool) {
  const auto& jobs = search.problem.jobs;
  if (std::ranges::none_of(jobs, [](const JointJob& job) { return job.running.has_value(); }))
    return;
  auto plan = Builder(search.problem).untouched(search.order, search.rankings);
  const double cost = search.evaluator.cost(plan);
  ++search.evaluated;
  pool.offer({cost, 0, std::move(plan)});
}

}  // namespace

ElitePool greedy_plans(Search& search) {
  ElitePool pool(1);
  offer_greedy(search, search.thrifty_rankings.empty() ? search.rankings : search.thrifty_rankings,
               pool);
  search.evaluated += pool.plans().size();
  return pool;
}

ElitePool random_plans(Search& search, std::size_t pool_size) {
  const unsigned threads = std::clamp(search.settings.threads, 1u, 256u);
  std::vector<Worker> workers;
  workers.reserve(threads);
  for (unsigned t = 0; t < threads; ++t)
    workers.push_back({search, 1 + t, threads, ElitePool(pool_size)});
  in_parallel(threads, threads, [&](std::size_t t) { workers[t].run(); });
  ElitePool all(pool_size);
  const ElitePool greedy = greedy_plans(search);
  for (const ScoredPlan& found : greedy.plans()) all.offer(found);
  if (!search.settings.as_published) offer_untouched(search, all);
  for (const Worker& worker : workers) {
    search.evaluated += worker.evaluated;
    for (const ScoredPlan& found : worker.pool.plans()) all.offer(found);
  }
  return all;
}

}  // namespace penstock
