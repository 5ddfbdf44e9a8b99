#include "learn/geo/geo_world.h"

#include <algorithm>

#include "base/in_parallel.h"
#include "policies/geo/geo.h"
#include "policies/geo/rule_router.h"

namespace penstock {
namespace {

Result<std::unique_ptr<Policy>> policy_of(const GeoWorld& world, Time start,
                                          std::unique_ptr<Router> router) {
  const PolicySetting setting{.cluster = world.cluster,
                              .costs = world.costs,
                              .start = start,
                              .utility = world.weights,
                              .table = world.table};
  std::vector<std::unique_ptr<Branch>> branches;
  for (std::uint32_t i = 0; i < world.cluster.sites.size(); ++i) {
    auto branch = Branch::make(setting, SiteId{i}, world.site_policy, world.site_options);
    if (!branch) return std::move(branch).error();
    branches.push_back(*std::move(branch));
  }
  return std::unique_ptr<Policy>(
      std::make_unique<Geo>(world.cluster, std::move(router), std::move(branches)));
}

Result<JobScale> scale_of(const GeoWorld& world, const GeoEpisode& episode) {
  const PolicySetting setting{.cluster = world.cluster};
  auto router = make_rule_router(setting, "local", {{"seed", "1"}});
  if (!router) return std::move(router).error();
  const auto run = run_geo(world, episode, *std::move(router));
  if (!run) return run.error();
  Bill bill;
  for (const SiteResult& site : run->result.sites) bill += site.bill.total();
  const double kwh = kilowatt_hours(bill.energy);
  if (kwh <= 0 || episode.jobs.empty()) return Error{"jobs that stay at home use no energy at all"};
  constexpr double kLeast = 1e-6;
  return JobScale{.kwh = kwh / static_cast<double>(episode.jobs.size()),
                  .price = std::max((bill.cost + bill.rent).value() / kwh, kLeast),
                  .carbon = std::max(bill.carbon.value() / kwh, kLeast)};
}

}  // namespace

GeoEpisode episode_of(std::span<const TracedJob> jobs) {
  GeoEpisode episode;
  if (jobs.empty()) return episode;
  episode.start = jobs.front().job.submitted;
  const std::uint32_t first = jobs.front().job.id.index;
  for (const TracedJob& traced : jobs) {
    TracedJob own = traced;
    own.job.id.index -= first;
    std::erase_if(own.job.parents, [&](JobId parent) { return parent.index < first; });
    for (JobId& parent : own.job.parents) parent.index -= first;
    episode.jobs.push_back(std::move(own));
  }
  return episode;
}

Result<GeoRun> run_geo(const GeoWorld& world, const GeoEpisode& episode,
                       std::unique_ptr<Router> router) {
  auto policy = policy_of(world, episode.start, std::move(router));
  if (!policy) return std::move(policy).error();
  SimOptions sim = world.sim;
  sim.start = episode.start;
  sim.models = &world.models;
  VectorSource source(episode.jobs);
  SimBackend backend(source, world.cluster, sim);
  FixedModels learner(world.models);
  FateObserver observer(world.cluster, world.signals, world.costs.sleep_after.has_value());
  GeoRun geo_run;
  geo_run.result = run(backend, **policy,
                       {.cluster = world.cluster,
                        .signals = world.signals,
                        .forecasts = world.forecasts,
                        .costs = world.costs,
                        .start = episode.start,
                        .learner = &learner},
                       observer);
  geo_run.fates = std::move(observer.fates());
  geo_run.fates.resize(episode.jobs.size());
  return geo_run;
}

Result<Done> set_scales(const GeoWorld& world, std::span<GeoEpisode> episodes,
                        std::uint32_t threads) {
  std::vector<Result<JobScale>> scales(episodes.size(), Result<JobScale>(JobScale{}));
  in_parallel(episodes.size(), threads,
              [&](std::size_t i) { scales[i] = scale_of(world, episodes[i]); });
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    if (!scales[i]) return scales[i].error();
    episodes[i].scale = *scales[i];
  }
  return Done{};
}

}  // namespace penstock
