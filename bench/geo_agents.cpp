// How long agents take to choose a site for a job, if so many come at once.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "learn/geo/agent_router.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kHour = std::chrono::hours(1);

double seconds_since(Clock::time_point begun) {
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

Time start() {
  return Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 8));
}

/// A year of hours that go up and down, each site at its own time.
template <class Q>
Signal<Q> hourly(double mean, double phase) {
  std::vector<typename Signal<Q>::Step> steps;
  for (int h = 0; h < 8760; ++h)
    steps.push_back({start() + (h - 4380) * kHour,
                     Q(mean * (1 + 0.4 * std::sin(0.2618 * h + phase) + 0.1 * std::sin(0.7 * h)))});
  return Signal<Q>(std::move(steps));
}

/// Sites with as much room as `jobs` take, and jobs that all come at once.
struct Morning {
  explicit Morning(std::uint32_t sites, std::uint32_t jobs) {
    cluster.types = {{.name = "plain", .idle = Watts(50), .peak = Watts(300)}};
    for (std::uint32_t i = 0; i < sites; ++i) {
      add_site(cluster, fmt::format("site-{}", i), {{.count = 40, .gpus = 8, .type = {}}});
      signals.push_back(
          {.price = hourly<Price>(0.1, i), .carbon = hourly<CarbonIntensity>(300, i)});
      forecasts.push_back({.price = {PersistenceForecast{}, std::nullopt},
                           .carbon = {PersistenceForecast{}, std::nullopt}});
    }
    cluster.network = {
        .sites = sites,
        .links = std::vector<Link>(std::size_t{sites} * sites,
                                   {.megabits_per_second = 1000, .per_gigabyte = Money(0.02)})};
    news.assign(sites, {.gpus = 320, .free = jobs / sites, .running = 100});
    state.emplace(cluster, Costs{}, start());
    Rng rng(1);
    for (std::uint32_t i = 0; i < jobs; ++i) {
      const Duration run = kHour * (1 + static_cast<int>(rng.below(12)));
      state->admit({.id = {i},
                    .submitted = start(),
                    .gpus = 1 + static_cast<std::uint32_t>(rng.below(4)),
                    .requested = run,
                    .deadline = start() + run * 2,
                    .home = SiteId{static_cast<std::uint32_t>(rng.below(sites))},
                    .files_gb = 5});
      state->apply(JobSubmitted{{i}}, start());
      waiting.push_back({i});
    }
  }

  Cluster cluster{};
  std::vector<SiteSignals> signals{};
  std::vector<SiteForecasts> forecasts{};
  std::vector<SiteNews> news{};
  std::optional<State> state{};
  std::vector<JobId> waiting{};
};

/// Microseconds a job, the best of several goes.
double microseconds(std::uint32_t sites, std::uint32_t jobs) {
  const Morning morning(sites, jobs);
  const GeoRules rules{.variant = *find_geo_variant("marl")};
  const ActorCritic net(geo_shape(rules.variant), Rng(1));
  const Models models;
  const Outlook outlook(morning.signals, morning.forecasts, start());
  double best = 1e9;
  for (int go = 0; go < 9; ++go) {
    const Clock::time_point begun = Clock::now();
    std::uint32_t times = 0;
    while (seconds_since(begun) < 0.03) {
      AgentRouter router(rules, std::make_unique<NetSiteChooser>(net));
      router.route({.now = start(),
                    .waiting = morning.waiting,
                    .fresh = morning.waiting.size(),
                    .sites = morning.news,
                    .state = *morning.state,
                    .models = models,
                    .outlook = outlook});
      times += jobs;
    }
    best = std::min(best, 1e6 * seconds_since(begun) / times);
  }
  return best;
}

}  // namespace
}  // namespace penstock

int main() {
  using namespace penstock;
  fmt::print("{:>8}{:>8}{:>12}\n", "sites", "jobs", "us/job");
  for (const std::uint32_t sites : {2u, 5u, 50u})
    for (const std::uint32_t jobs : {1u, 16u, 256u})
      fmt::print("{:>8}{:>8}{:>12.2f}\n", sites, jobs, microseconds(sites, jobs));
}
