#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "learn/geo/agent_router.h"
#include "learn/geo/job_costs.h"
#include "learn/geo/observation.h"
#include "learn/net/rollout.h"
#include "model/trace.h"
#include "policies/core_policies.h"
#include "policies/geo/router.h"
#include "sim/sim_backend.h"

namespace penstock {

/// Everything but the jobs of runs over several sites.
struct GeoWorld {
  Cluster cluster{};
  std::vector<SiteSignals> signals{};      ///< indexed by SiteId
  std::vector<SiteForecasts> forecasts{};  ///< indexed by SiteId
  Models models{};                         ///< how jobs scale, in truth and as believed
  Costs costs{};
  SimOptions sim{};  ///< `start` and `models` are set for each run
  UtilityWeights weights{};
  double slack = 0.5;  ///< as the option of `geo`
  std::string site_policy = "fifo";
  Options site_options{{"backfill", "easy"}};
  const PolicyTable* table = &core_policies();
};

/// Consecutive jobs, numbered from 0.
struct GeoEpisode {
  Time start{};
  std::vector<TracedJob> jobs{};
  JobScale scale{.kwh = 1, .price = 1, .carbon = 1};  ///< the unit of its utility
};

/// Consecutive jobs of a trace as an episode that begins with the first of them. They wait for no
/// job before it.
GeoEpisode episode_of(std::span<const TracedJob> jobs);

struct GeoRun {
  RunResult result{};
  std::vector<JobOutcome> outcomes{};  ///< indexed by JobId
};

/// A run of a router with the world's policy at each site.
Result<GeoRun> run_geo(const GeoWorld& world, const GeoEpisode& episode,
                       std::unique_ptr<Router> router);

/// Gives every episode the scale that its utility has: what a mean job of it costs if all stay at
/// home, idle machines included.
Result<Done> set_scales(const GeoWorld& world, std::span<GeoEpisode> episodes,
                        std::uint32_t threads);

/// An episode that agents have played.
struct GeoPlayed {
  AgentLog log;
  JobScale scale{};
  std::vector<JobOutcome> outcomes{};  ///< indexed by JobId
  double mean_return = 0;              ///< its mean_reward()
};

/// rewards_of() by the rules of agents: costs of transfers may be left out.
std::vector<double> agent_rewards(std::vector<JobOutcome> outcomes, const GeoRules& rules,
                                  const JobScale& scale, RewardScope scope);
/// The mean reward of a job, without what it caused others.
double mean_reward(const std::vector<JobOutcome>& outcomes, const GeoRules& rules,
                   const JobScale& scale);

/// Runs an episode with choices of `chooser`.
Result<GeoPlayed> play_geo(const GeoWorld& world, const GeoEpisode& episode, const GeoRules& rules,
                           std::unique_ptr<SiteChooser> chooser);

/// The steps of a network in an episode, to learn from: a track for every job, and at its end the
/// reward above the baseline.
Rollout rollout_of(const GeoPlayed& played, const ActorCritic& net, const GeoRules& rules);

/// The mean return of a router without a network.
struct GeoBaseline {
  std::string name{};
  double mean_return = 0;
};

/// Every router that follows one rule, thrifty among them, on the same episodes; the best first.
Result<std::vector<GeoBaseline>> geo_baselines(const GeoWorld& world, const GeoRules& rules,
                                               std::span<const GeoEpisode> episodes,
                                               std::uint32_t threads);

}  // namespace penstock
