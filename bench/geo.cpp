// How many jobs a second are routed between sites and simulated to their ends, in processor time:
// by router with five sites, then as sites and jobs grow.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numbers>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/engine.h"
#include "policies/core_policies.h"
#include "sim/sim_backend.h"

namespace penstock {
namespace {

const Time kStart = Time(std::chrono::sys_days(std::chrono::year(2021) / 7 / 1));
/// SustainCluster, the better of what was measured.
constexpr double kSustainCluster = 1000;
constexpr std::uint32_t kNodes = 20;
constexpr std::uint32_t kGpusPerNode = 8;

struct GeoWorld {
  Cluster cluster{};
  std::vector<SiteSignals> signals{};
  std::vector<SiteForecasts> forecasts{};
};

/// A price or a carbon intensity that goes up and down by day, each site at its own hour.
template <class Q>
Signal<Q> daily(double mean, std::uint32_t site, std::uint32_t days) {
  std::vector<typename Signal<Q>::Step> steps;
  steps.reserve(24 * days);
  for (std::uint32_t hour = 0; hour < 24 * days; ++hour)
    steps.push_back(
        {kStart + std::chrono::hours(hour),
         Q(mean * (1 + 0.5 * std::sin(2 * std::numbers::pi * (hour + 5 * site) / 24)))});
  return Signal<Q>(steps);
}

GeoWorld make_world(std::uint32_t sites, std::uint32_t days) {
  GeoWorld world;
  world.cluster.types = {{.name = "v100", .idle = Watts(25), .peak = Watts(250)}};
  for (std::uint32_t i = 0; i < sites; ++i) {
    add_site(world.cluster, fmt::format("site-{}", i),
             {{.count = kNodes, .gpus = kGpusPerNode, .base = Watts(400)}});
    world.signals.push_back({.price = daily<Price>(0.05 + 0.01 * (i % 7), i, days),
                             .carbon = daily<CarbonIntensity>(50 + 60 * (i % 8), i, days)});
    world.forecasts.push_back({.price = {PersistenceForecast{}, std::nullopt},
                               .carbon = {PersistenceForecast{}, std::nullopt}});
  }
  world.cluster.network = {.sites = sites,
                           .links = std::vector<Link>(std::size_t{sites} * sites,
                                                      {.megabits_per_second = 500,
                                                       .round_trip = std::chrono::milliseconds(80),
                                                       .per_gigabyte = Money(0.02)}),
                           .energy_per_gigabyte = Joules(0.06 * kJoulesPerKwh)};
  return world;
}

/// Jobs as they are asked for, 60 % of all GPUs on average.
class Arrivals final : public JobSource {
 public:
  Arrivals(std::uint32_t sites, std::uint32_t count)
      : sites_(sites), left_(count), rng_(Rng(11).stream("jobs")) {
    constexpr double kGpuSeconds = 2.4 * 3600 * 1.6;  // about what a job holds
    gap_ = kGpuSeconds / (0.6 * sites * kNodes * kGpusPerNode);
  }

  std::optional<TracedJob> next() override {
    if (left_ == 0) return std::nullopt;
    --left_;
    at_ += round_duration(rng_.exponential(gap_));
    const Duration run = round_duration(3600 * std::exp(rng_.normal(0, 0.9)));
    return TracedJob{.job = {.id = {id_++},
                             .submitted = at_,
                             .gpus = 1u << rng_.below(3),
                             .requested = run,
                             .deadline = at_ + 2 * run,
                             .home = SiteId{static_cast<std::uint32_t>(rng_.below(sites_))},
                             .files_gb = 2},
                     .actual = run};
  }

 private:
  std::uint32_t sites_;
  std::uint32_t left_;
  Rng rng_;
  double gap_ = 0;
  Time at_ = kStart;
  std::uint32_t id_ = 0;
};

struct Nobody final : Observer {
  void before(const Batch& /*batch*/, const State& /*state*/, const Ledger& /*ledger*/) override {}
  void decided(Time /*now*/, const Decision& /*decision*/, const State& /*state*/) override {}
  void ended(const JobRecord& record) override { sent += record.sent.count; }
  std::uint64_t sent = 0;
};

void measure(const std::string& router, std::uint32_t sites, std::uint32_t jobs) {
  const GeoWorld world = make_world(sites, 120);
  auto policy =
      core_policies().make({.cluster = world.cluster, .costs = {}, .start = kStart}, "geo",
                           {{"router", router}, {"site", "fifo"}, {"site.backfill", "easy"}});
  if (!policy) {
    fmt::print(stderr, "{}\n", policy.error().message);
    std::exit(1);
  }
  Arrivals source(sites, jobs);
  SimBackend backend(source, world.cluster, {.start = kStart});
  Nobody nobody;
  const std::clock_t begun = std::clock();
  const RunResult result = run(backend, **policy,
                               {.cluster = world.cluster,
                                .signals = world.signals,
                                .forecasts = world.forecasts,
                                .start = kStart},
                               nobody);
  const double took = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  const double rate = static_cast<double>(result.ended) / took;
  fmt::print(
      "{:<14}{:>4} sites{:>10} jobs{:>9.0f} jobs/s{:>7.0f} x SustainCluster{:>8.0f} % sent\n",
      router, sites, result.ended, rate, rate / kSustainCluster,
      100.0 * static_cast<double>(nobody.sent) / static_cast<double>(result.ended));
}

}  // namespace
}  // namespace penstock

int main() {
  for (const char* router : {"local", "round-robin", "cheapest", "least-loaded", "mpc"})
    penstock::measure(router, 5, 20'000);
  for (const std::uint32_t sites : {5u, 20u, 50u}) penstock::measure("cheapest", sites, 100'000);
  penstock::measure("cheapest", 50, 1'000'000);
}
