#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/rng.h"
#include "worlds/world.h"

namespace penstock {

/// A site of single-GPU-type nodes and what its power costs by the hour from the start of the run,
/// the last for ever.
struct PlainSite {
  std::uint32_t nodes = 1;
  std::uint32_t gpus_per_node = 1;
  std::vector<double> prices{0.1};
  std::vector<double> grams{100};
  double pue = 1;
};

template <class Q>
Signal<Q> by_the_hour(Time start, const std::vector<double>& values) {
  std::vector<typename Signal<Q>::Step> steps;
  for (std::size_t i = 0; i < values.size(); ++i)
    steps.push_back({start + std::chrono::hours(i), Q(values[i])});
  return Signal<Q>(steps);
}

/// Sites whose future is known, joined each with each by like links. GPUs idle at 50 W and work at
/// 400 W; nodes draw nothing of their own.
inline World geo_world(const std::vector<PlainSite>& sites, const Link& link = {}) {
  World world;
  world.cluster.types = {
      {.name = "plain", .idle = Watts(50), .peak = Watts(400), .sleep = Watts(5)}};
  for (const PlainSite& site : sites) {
    add_site(world.cluster, "site-" + std::to_string(world.signals.size()),
             {{.count = site.nodes, .gpus = site.gpus_per_node, .type = {}, .rack = 2}});
    SiteSignals signals;
    signals.price = by_the_hour<Price>(world.start(), site.prices);
    signals.carbon = by_the_hour<CarbonIntensity>(world.start(), site.grams);
    signals.pue = Signal<Ratio>::constant(Ratio(site.pue));
    world.signals.push_back(signals);
  }
  world.forecasts.resize(sites.size());
  world.cluster.network = {.sites = static_cast<std::uint32_t>(sites.size()),
                           .links = std::vector<Link>(sites.size() * sites.size(), link),
                           .energy_per_gigabyte = Joules(0.06 * kJoulesPerKwh)};
  return world;
}

/// A job to put into a world of several sites, times in hours after its start.
struct GeoJob {
  double submitted = 0;
  std::uint32_t gpus = 1;
  double run = 1;
  std::uint32_t home = 0;
  double files_gb = 0;
  std::optional<double> deadline{};
};

inline void add_job(World& world, const GeoJob& plain) {
  add_job(world, PlainJob{.submitted = plain.submitted * 3600,
                          .gpus = plain.gpus,
                          .requested = plain.run * 3600,
                          .actual = plain.run * 3600});
  Job& job = world.jobs.back().job;
  job.home = SiteId{plain.home};
  job.files_gb = static_cast<float>(plain.files_gb);
  if (plain.deadline) job.deadline = world.start() + round_duration(*plain.deadline * 3600);
}

/// What a world of days and sites is drawn from.
struct GeoDice {
  std::uint32_t sites = 5;
  std::uint32_t days = 7;
  double load = 0.6;  ///< of all GPUs, by what jobs ask for
  std::uint32_t nodes = 8;
  double slack = 1;  ///< in a job's own time, until its deadline
};

/// Prices and carbon rise and fall by the hour of the day, at each site in its own way, and jobs
/// come in the daytime of their home.
inline World random_geo_world(std::uint64_t seed, const GeoDice& dice) {
  Rng rng = Rng(seed).stream("geo world");
  std::vector<PlainSite> sites;
  std::vector<double> phase;
  for (std::uint32_t s = 0; s < dice.sites; ++s) {
    PlainSite site{.nodes = dice.nodes / 2 + static_cast<std::uint32_t>(rng.below(dice.nodes)),
                   .gpus_per_node = 8,
                   .prices = {},
                   .grams = {},
                   .pue = 1.1 + 0.3 * rng.uniform()};
    phase.push_back(24 * rng.uniform());
    const double price = 0.04 + 0.08 * rng.uniform();
    const double grams = 60 + 400 * rng.uniform();
    for (std::uint32_t h = 0; h < (dice.days + 7) * 24; ++h) {
      const double wave = std::cos(2 * std::numbers::pi * (h - phase[s]) / 24);
      site.prices.push_back(price * std::max(-0.2, 1 + 0.6 * wave + rng.normal(0, 0.25)));
      site.grams.push_back(grams * std::max(0.1, 1 + 0.35 * wave + rng.normal(0, 0.1)));
    }
    sites.push_back(site);
  }
  World world = geo_world(
      sites, {.megabits_per_second = 160, .round_trip = Duration(70), .per_gigabyte = Money(0.02)});
  const double gpu_hours = dice.load * world.cluster.gpu_count() * 24 * dice.days;
  constexpr std::array<std::uint32_t, 6> kGpus{1, 1, 2, 4, 8, 8};
  std::vector<GeoJob> jobs;
  for (double sum = 0; sum < gpu_hours;) {
    GeoJob job{.submitted = 24 * dice.days * rng.uniform(), .gpus = kGpus[rng.below(6)]};
    job.run = std::min(48.0, std::exp(rng.normal(1, 1.2)));
    job.home = static_cast<std::uint32_t>(rng.below(dice.sites));
    job.files_gb = 1 + 30 * rng.uniform();
    const double daytime = std::cos(2 * std::numbers::pi * (job.submitted - phase[job.home]) / 24);
    if (rng.uniform() > (1 + daytime) / 2) continue;
    job.deadline = job.submitted + job.run * (1 + dice.slack * (0.2 + 1.6 * rng.uniform()));
    sum += job.gpus * job.run;
    jobs.push_back(job);
  }
  std::ranges::sort(jobs, {}, &GeoJob::submitted);
  for (const GeoJob& job : jobs) add_job(world, job);
  return world;
}

}  // namespace penstock
