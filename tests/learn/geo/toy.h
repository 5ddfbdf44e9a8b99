#pragma once

#include "learn/geo/geo_trainer.h"

namespace penstock {

/// Two sites with one GPU each that draws 1 kW; power costs 0.10 at the first and 0.15 at the
/// other, carbon is alike. Everybody lives at the first. Every four hours comes a long job (3 h,
/// to be done within 3.9 h, no files) that may go anywhere. In rounds that begin at 8, 12 and 16
/// o'clock a short one (30 min, within 40 min) follows half an hour later, whose 100 GB take 13
/// minutes to move: it can only be done in time at the first site, and only if that is free. So by
/// day long jobs must go to the dear site, though each by itself is better off at the cheap one;
/// at night they belong to the cheap one. Waiting helps nobody.
struct Toy {
  static constexpr bool is_by_day(int round) { return round >= 2 && round <= 4; }

  static GeoWorld world() {
    GeoWorld world;
    world.cluster.types = {{.name = "plain", .idle = Watts(0), .peak = Watts(1000)}};
    for (const char* name : {"cheap", "dear"})
      add_site(world.cluster, name, {{.count = 1, .gpus = 1, .type = {}}});
    world.cluster.network = {.sites = 2,
                             .links = std::vector<Link>(4, {.megabits_per_second = 1000})};
    world.signals.resize(2);
    world.signals[0].price = Signal<Price>::constant(Price(0.10));
    world.signals[1].price = Signal<Price>::constant(Price(0.15));
    for (SiteSignals& site : world.signals)
      site.carbon = Signal<CarbonIntensity>::constant(CarbonIntensity(100));
    world.forecasts.resize(2);
    world.costs = {.restart = Duration::zero(), .wake = Duration::zero()};
    world.table = &core_policies();
    return world;
  }

  static void add(GeoEpisode& episode, Time at, Duration run, Duration within, float files) {
    const JobId id{static_cast<std::uint32_t>(episode.jobs.size())};
    episode.jobs.push_back({.job = {.id = id,
                                    .submitted = at,
                                    .requested = run,
                                    .deadline = at + within,
                                    .home = SiteId{0},
                                    .files_gb = files},
                            .actual = run});
  }

  static GeoEpisode episode(int first_day, int days) {
    using namespace std::chrono_literals;
    GeoEpisode episode;
    episode.start = Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)) + first_day * 24h;
    for (int round = 0; round < 6 * days; ++round) {
      const Time at = episode.start + round * 4h;
      add(episode, at, 3h, 234min, 0);
      if (is_by_day(round % 6)) add(episode, at + 30min, 30min, 40min, 100);
    }
    return episode;
  }

  static GeoTrainingData data() {
    GeoTrainingData data{.world = world()};
    for (int day = 0; day < 7; ++day) data.training.push_back(episode(day, 4));
    data.validation.push_back(episode(7, 7));
    return data;
  }

  static GeoTrainingSettings settings(std::string_view variant) {
    GeoTrainingSettings settings{.variant = *find_geo_variant(variant),
                                 .updates = 16,
                                 .worlds = 8,
                                 .teacher = GeoTeacher::none,
                                 .validate_every = 2,
                                 .seed = 1};
    settings.ppo.policy_rate = settings.ppo.value_rate = 3e-3;
    settings.ppo.minibatch = 0;
    return settings;
  }
};

}  // namespace penstock
