#include <algorithm>
#include <thread>

#include "joint/builder.h"
#include "joint/search.h"

namespace penstock {
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
    Judge judge(search.problem, settings.aim);
    const Rng chance = Rng(settings.seed).stream("random greedy");
    for (std::uint32_t i = first; i < settings.iterations; i += step) {
      if (search.patience.is_over()) return;
      const bool thrifty = !search.thrifty_wishes.empty() && i % 2 == 1;
      auto plan = builder.randomised(search.order, thrifty ? search.thrifty_wishes : search.wishes,
                                     Luck{}, chance.stream(i));
      ++evaluated;
      const double cost = judge.cost(plan);
      if (pool.would_take(cost)) pool.offer({cost, i, std::move(plan)});
    }
  }
};

void offer_greedy(const Search& search, const std::vector<Wishes>& wishes, ElitePool& pool) {
  Builder builder(search.problem);
  Judge judge(search.problem, search.settings.aim);
  auto plan = builder.greedy(search.order, wishes);
  const double cost = judge.cost(plan);
  pool.offer({cost, 0, std::move(plan)});
}

/// To let everybody go on as he does may be best.
void offer_untouched(Search& search, ElitePool& pool) {
  const auto& jobs = search.problem.jobs;
  if (std::ranges::none_of(jobs, [](const JointJob& job) { return job.running.has_value(); }))
    return;
  auto plan = Builder(search.problem).untouched(search.order, search.wishes);
  const double cost = Judge(search.problem, search.settings.aim).cost(plan);
  ++search.evaluated;
  pool.offer({cost, 0, std::move(plan)});
}

}  // namespace

ElitePool greedy_plans(Search& search) {
  ElitePool pool(1);
  offer_greedy(search, search.thrifty_wishes.empty() ? search.wishes : search.thrifty_wishes, pool);
  search.evaluated += pool.plans().size();
  return pool;
}

ElitePool random_plans(Search& search, std::size_t pool_size) {
  const unsigned threads = std::clamp(search.settings.threads, 1u, 256u);
  std::vector<Worker> workers;
  workers.reserve(threads);
  for (unsigned t = 0; t < threads; ++t)
    workers.push_back({search, 1 + t, threads, ElitePool(pool_size)});
  {
    std::vector<std::jthread> running;
    for (unsigned t = 1; t < threads; ++t)
      running.emplace_back([&workers, t] { workers[t].run(); });
    workers[0].run();
  }
  ElitePool all(pool_size);
  const ElitePool greedy = greedy_plans(search);
  for (const Found& found : greedy.plans()) all.offer(found);
  offer_untouched(search, all);
  for (const Worker& worker : workers) {
    search.evaluated += worker.evaluated;
    for (const Found& found : worker.pool.plans()) all.offer(found);
  }
  return all;
}

}  // namespace penstock
