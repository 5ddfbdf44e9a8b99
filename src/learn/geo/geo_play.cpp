#include "learn/geo/geo_play.h"

namespace penstock {

std::vector<double> rewards_of(std::vector<JobFate> fates, const GeoRules& rules,
                               const JobScale& scale, Answer answer) {
  if (!rules.transfers)
    for (JobFate& fate : fates) {
      fate.carbon -= fate.transfer_carbon;
      fate.transfer = 0;
    }
  return rewards_of(fates, rules.weights, scale, answer);
}

double mean_reward(const std::vector<JobFate>& fates, const GeoRules& rules,
                   const JobScale& scale) {
  double sum = 0;
  for (const double r : rewards_of(fates, rules, scale, Answer::own)) sum += r;
  return sum / static_cast<double>(fates.size());
}

Result<GeoPlayed> play_geo(const GeoWorld& world, const GeoEpisode& episode, const GeoRules& rules,
                           std::unique_ptr<SiteChooser> chooser) {
  GeoPlayed played{.notes = AgentNotes(geo_shape(rules.variant)), .scale = episode.scale};
  auto ran = run_geo(world, episode,
                     std::make_unique<AgentRouter>(rules, std::move(chooser), &played.notes));
  if (!ran) return std::move(ran).error();
  played.fates = std::move(ran->fates);
  for (const AgentNotes::Sending& sending : played.notes.sendings)
    played.fates[sending.job.index].arrived = sending.arrives;
  played.mean_return = mean_reward(played.fates, rules, played.scale);
  return played;
}

Rollout rollout_of(const GeoPlayed& played, const ActorCritic& net, const GeoRules& rules) {
  const auto jobs = static_cast<std::uint32_t>(played.fates.size());
  Rollout record(net.shape().item_features, net.shape().global_features, jobs);
  std::vector<float> values;
  net.values(played.notes.windows, values);
  std::vector<std::uint8_t> decided(jobs, 0);
  for (std::size_t s = 0; s < played.notes.steps.size(); ++s) {
    const AgentNotes::Step& step = played.notes.steps[s];
    decided[step.job.index] = 1;
    record.add(step.job.index, played.notes.windows[s],
               {.action = step.choice.item,
                .log_probability = step.choice.log_probability,
                .value = double{values[s]}});
  }
  const auto rewards = rewards_of(played.fates, rules, played.scale,
                                  rules.variant.team_reward ? Answer::team : Answer::own);
  const auto usual = usual_rewards(played.fates, rules.weights, played.scale);
  for (std::uint32_t job = 0; job < jobs; ++job) {
    if (decided[job] == 0) continue;
    record.reward(job, rewards[job] - usual[job]);
    record.end(job);
  }
  return record;
}

}  // namespace penstock
