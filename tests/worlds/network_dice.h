#pragma once

#include "base/rng.h"
#include "worlds/world.h"

namespace penstock {

/// Joins the sites of a world, gives its jobs homes and files, and lets a site fail now and then.
class NetworkDice {
 public:
  NetworkDice(std::uint64_t seed, World& world)
      : rng_(Rng(seed).stream("network")), world_(world) {}

  void roll() {
    const auto sites = static_cast<std::uint32_t>(world_.cluster.sites.size());
    Network& network = world_.cluster.network;
    network = {.sites = sites, .energy_per_gigabyte = Joules(0.06 * kJoulesPerKwh)};
    for (std::uint32_t i = 0; i < sites * sites; ++i)
      network.links.push_back({.megabits_per_second = 8000 * (0.1 + rng_.uniform()),
                               .round_trip = Duration(rng_.below(200)),
                               .per_gigabyte = Money(0.05 * rng_.uniform())});
    for (TracedJob& traced : world_.jobs) {
      traced.job.home = SiteId{static_cast<std::uint32_t>(rng_.below(sites))};
      traced.job.files_gb = static_cast<float>(rng_.below(4)) * 0.25f;
      traced.job.checkpoint_gb = 0.125f;
    }
    if (rng_.uniform() < 0.5) roll_outage(sites);
  }

 private:
  void roll_outage(std::uint32_t sites) {
    const Duration last = world_.jobs.back().job.submitted - world_.start();
    const auto from = static_cast<std::int64_t>(rng_.uniform() * static_cast<double>(last.count()));
    const Time begins = world_.start() + Duration(from);
    world_.sim.outages.push_back({.site = SiteId{static_cast<std::uint32_t>(rng_.below(sites))},
                                  .from = begins,
                                  .until = begins + Duration(1 + from / 4 + 500)});
  }

  Rng rng_;
  World& world_;
};

}  // namespace penstock
