#include "learn/geo/geo_episode.h"

#include <algorithm>
#include <array>

#include "base/in_parallel.h"
#include "policies/geo/geo.h"
#include "policies/geo/routers.h"

namespace penstock {
namespace {

Result<std::unique_ptr<Policy>> geo_policy(const GeoWorld& world, Time start,
                                           std::unique_ptr<Router> router) {
  const PolicySetting setting{.cluster = world.cluster,
                              .costs = world.costs,
                              .start = start,
                              .utility = world.weights,
                              .table = world.table};
  std::vector<std::unique_ptr<SiteScheduler>> sites;
  for (std::uint32_t i = 0; i < world.cluster.sites.size(); ++i) {
    auto site = SiteScheduler::make(setting, SiteId{i}, world.site_policy, world.site_options);
    if (!site) return std::move(site).error();
    sites.push_back(*std::move(site));
  }
  return std::unique_ptr<Policy>(
      std::make_unique<Geo>(world.cluster, std::move(router), std::move(sites)));
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
  constexpr double kLeastRate = 1e-6;
  return JobScale{.kwh = kwh / static_cast<double>(episode.jobs.size()),
                  .price = std::max((bill.cost + bill.rent).value() / kwh, kLeastRate),
                  .carbon = std::max(bill.carbon.value() / kwh, kLeastRate)};
}

constexpr auto kRuleRouters = std::to_array<const char*>(
    {"local", "random", "round-robin", "cheapest", "greenest", "least-loaded", "most-free"});

Result<double> play_rule(const GeoWorld& world, const GeoRules& rules, const GeoEpisode& episode,
                         const char* name) {
  auto router = make_rule_router({.cluster = world.cluster}, name, {{"seed", "1"}});
  if (!router) return std::move(router).error();
  const auto ran = run_geo(world, episode, *std::move(router));
  if (!ran) return ran.error();
  return mean_reward(ran->outcomes, rules, episode.scale);
}

Result<double> play_thrifty(const GeoWorld& world, const GeoRules& rules,
                            const GeoEpisode& episode) {
  const auto played = play_geo(world, episode, rules, std::make_unique<ThriftyChooser>(false));
  if (!played) return played.error();
  return played->mean_return;
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
  auto policy = geo_policy(world, episode.start, std::move(router));
  if (!policy) return std::move(policy).error();
  SimOptions sim = world.sim;
  sim.start = episode.start;
  sim.models = &world.models;
  VectorSource source(episode.jobs);
  SimBackend backend(source, world.cluster, sim);
  FixedModels learner(world.models);
  OutcomeObserver observer(world.cluster, world.signals, world.costs.sleep_after.has_value());
  GeoRun geo_run;
  geo_run.result = run(backend, **policy,
                       {.cluster = world.cluster,
                        .signals = world.signals,
                        .forecasts = world.forecasts,
                        .costs = world.costs,
                        .start = episode.start,
                        .learner = &learner},
                       observer);
  geo_run.outcomes = std::move(observer.outcomes());
  geo_run.outcomes.resize(episode.jobs.size());
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

std::vector<double> agent_rewards(std::vector<JobOutcome> outcomes, const GeoRules& rules,
                                  const JobScale& scale, RewardScope scope) {
  if (!rules.transfers)
    for (JobOutcome& outcome : outcomes) {
      outcome.carbon -= outcome.transfer_carbon;
      outcome.transfer = 0;
    }
  return rewards_of(outcomes, rules.weights, scale, scope);
}

double mean_reward(const std::vector<JobOutcome>& outcomes, const GeoRules& rules,
                   const JobScale& scale) {
  double sum = 0;
  for (const double r : agent_rewards(outcomes, rules, scale, RewardScope::own)) sum += r;
  return sum / static_cast<double>(outcomes.size());
}

Result<GeoPlayed> play_geo(const GeoWorld& world, const GeoEpisode& episode, const GeoRules& rules,
                           std::unique_ptr<SiteChooser> chooser) {
  GeoPlayed played{.log = AgentLog(geo_shape(rules.variant)), .scale = episode.scale};
  auto ran = run_geo(world, episode,
                     std::make_unique<AgentRouter>(rules, std::move(chooser), &played.log));
  if (!ran) return std::move(ran).error();
  played.outcomes = std::move(ran->outcomes);
  for (const AgentLog::Dispatch& sending : played.log.dispatches)
    played.outcomes[sending.job.index].arrived = sending.arrives;
  played.mean_return = mean_reward(played.outcomes, rules, played.scale);
  return played;
}

Rollout rollout_of(const GeoPlayed& played, const ActorCritic& net, const GeoRules& rules) {
  const auto jobs = static_cast<std::uint32_t>(played.outcomes.size());
  Rollout record(net.shape().item_features, net.shape().global_features, jobs);
  std::vector<float> values;
  net.values(played.log.windows, values);
  std::vector<std::uint8_t> decided(jobs, 0);
  for (std::size_t s = 0; s < played.log.steps.size(); ++s) {
    const AgentLog::Step& step = played.log.steps[s];
    decided[step.job.index] = 1;
    record.add(step.job.index, played.log.windows[s],
               {.action = step.choice.item,
                .log_probability = step.choice.log_probability,
                .value = double{values[s]}});
  }
  const auto rewards =
      agent_rewards(played.outcomes, rules, played.scale,
                    rules.variant.team_reward ? RewardScope::team : RewardScope::own);
  const auto usual = baseline_rewards(played.outcomes, rules.weights, played.scale);
  for (std::uint32_t job = 0; job < jobs; ++job) {
    if (decided[job] == 0) continue;
    record.reward(job, rewards[job] - usual[job]);
    record.end(job);
  }
  return record;
}

Result<std::vector<GeoBaseline>> geo_baselines(const GeoWorld& world, const GeoRules& rules,
                                               std::span<const GeoEpisode> episodes,
                                               std::uint32_t threads) {
  std::vector<GeoBaseline> all_baselines;
  all_baselines.reserve(kRuleRouters.size() + 1);
  for (const char* name : kRuleRouters) all_baselines.push_back({.name = name});
  all_baselines.push_back({.name = "thrifty"});
  std::vector<Result<double>> all(all_baselines.size() * episodes.size(), Result<double>(0.0));
  in_parallel(all.size(), threads, [&](std::size_t i) {
    const std::size_t who = i / episodes.size();
    const GeoEpisode& episode = episodes[i % episodes.size()];
    all[i] = who < kRuleRouters.size() ? play_rule(world, rules, episode, kRuleRouters[who])
                                       : play_thrifty(world, rules, episode);
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) return all[i].error();
    all_baselines[i / episodes.size()].mean_return +=
        *all[i] / static_cast<double>(episodes.size());
  }
  std::ranges::stable_sort(all_baselines, std::greater<>(), &GeoBaseline::mean_return);
  return all_baselines;
}

}  // namespace penstock
