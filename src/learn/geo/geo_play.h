#pragma once

#include "learn/geo/agent_router.h"
#include "learn/geo/geo_world.h"
#include "learn/net/rollout.h"

namespace penstock {

/// An episode as agents played it.
struct GeoPlayed {
  AgentNotes notes;
  JobScale scale{};
  std::vector<JobFate> fates{};  ///< indexed by JobId
  double mean_return = 0;        ///< its mean_reward()
};

/// As of hindsight.h, by what agents are to know of: transfers may be left out.
std::vector<double> rewards_of(std::vector<JobFate> fates, const GeoRules& rules,
                               const JobScale& scale, Answer answer);
/// Of a job, in mean jobs, without what it caused others.
double mean_reward(const std::vector<JobFate>& fates, const GeoRules& rules, const JobScale& scale);

/// Runs an episode with choices of `chooser`.
Result<GeoPlayed> play_geo(const GeoWorld& world, const GeoEpisode& episode, const GeoRules& rules,
                           std::unique_ptr<SiteChooser> chooser);

/// What a network did there, to learn from: a track for every job, and at its end
/// its reward beyond the usual.
Rollout rollout_of(const GeoPlayed& played, const ActorCritic& net, const GeoRules& rules);

}  // namespace penstock
