#include "training/training_data.h"

#include <fmt/format.h>

#include "experiment/policy_choice.h"
#include "experiment/workload.h"
#include "registry/registry.h"

namespace penstock {
namespace {

Machine machine_for(const Scenario& scenario, const std::vector<TracedJob>& jobs,
                    double per_gpu_hour) {
  Machine machine = largest_pool(scenario.cluster);
  const Time first = jobs.front().job.submitted;
  machine.rates = {.per_kwh = mean_price_per_kwh(scenario.signals[machine.site.index], first,
                                                 jobs.back().job.submitted),
                   .per_gpu_hour = per_gpu_hour};
  return machine;
}

/// Draws from the first part of the tasks to train, from the rest to validate.
Result<QueueTrainingData> draw_queue_data(const QueueDataRequest& request,
                                          std::span<const Task> tasks, const PlayRules& rules) {
  const auto held = static_cast<std::size_t>(static_cast<double>(tasks.size()) * request.held_out);
  const Rng rng = Rng(request.seed).stream("episodes");
  auto training = draw_sequences(tasks.first(tasks.size() - held), request.episodes, rules.gpus,
                                 rng.stream("training"));
  if (!training) return std::move(training).error().in("the part for training");
  const EpisodeOptions for_validation{.tasks = request.episodes.tasks, .count = request.validation};
  auto validation =
      draw_sequences(tasks.last(held), for_validation, rules.gpus, rng.stream("validation"));
  if (!validation) return std::move(validation).error().in("the part held out for validation");
  return QueueTrainingData{
      .rules = rules,
      .training = make_episodes(*std::move(training), rules, request.threads),
      .validation = make_episodes(*std::move(validation), rules, request.threads)};
}

/// A scenario with all its jobs.
struct LoadedScenario {
  Scenario scenario{};
  Workload workload{};
  std::vector<TracedJob> jobs{};
};

Result<LoadedScenario> load_scenario(const std::filesystem::path& path,
                                     const std::vector<std::string>& overrides) {
  auto scenario = read_scenario(path, overrides, check_choice);
  if (!scenario) return std::move(scenario).error();
  auto workload = load_workload(*scenario);
  if (!workload) return std::move(workload).error();
  LoadedScenario loaded{.scenario = *std::move(scenario), .workload = *std::move(workload)};
  const auto source = loaded.workload.source();
  while (auto job = source->next()) loaded.jobs.push_back(*std::move(job));
  return loaded;
}

/// The policy of each site, if `simulate` would take it too.
Result<PolicyChoice> site_policy(const GeoDataRequest& request, const Scenario& scenario) {
  auto site = parse_choice(request.site);
  if (!site) return std::move(site).error().in("--site");
  const PolicyChoice whole = policy_at_home(*site);
  if (auto fine = check_choice(whole); !fine) return std::move(fine).error().in("--site");
  if (auto fine = check_homes(whole, scenario); !fine) return std::move(fine).error();
  return site;
}

Result<GeoWorld> world_of(const GeoDataRequest& request, const LoadedScenario& loaded) {
  const auto site = site_policy(request, loaded.scenario);
  if (!site) return site.error();
  const Scenario& scenario = loaded.scenario;
  return GeoWorld{.cluster = scenario.cluster,
                  .signals = scenario.signals,
                  .forecasts = scenario.forecasts,
                  .models = loaded.workload.kinds ? loaded.workload.kinds->truth() : Models{},
                  .costs = scenario.costs,
                  .sim = {.over_request = scenario.workload.over_request,
                          .failures = scenario.failures,
                          .seed = scenario.seed},
                  .weights = scenario.utility,
                  .slack = request.slack,
                  .site_policy = site->name,
                  .site_options = site->options,
                  .table = &every_policy()};
}

void delay(GeoEpisode& episode, Duration by) {
  episode.start += by;
  for (TracedJob& traced : episode.jobs) {
    traced.job.submitted += by;
    if (traced.job.deadline) *traced.job.deadline += by;
  }
}

/// The seed of validation episodes. It does not depend on --seed, so that trainings compare.
constexpr std::uint64_t kValidationSeed = 1;

/// How many episodes to draw, and of what.
struct EpisodeDraw {
  std::uint32_t count = 0;
  std::uint32_t jobs = 0;  ///< in each
  std::uint32_t weeks = 0;
};

/// Stretches of consecutive jobs.
Result<std::vector<GeoEpisode>> draw_geo_episodes(std::span<const TracedJob> jobs,
                                                  const EpisodeDraw& wanted, Rng rng) {
  if (jobs.size() < wanted.jobs)
    return Error{fmt::format("--episode {}: there are only {} jobs", wanted.jobs, jobs.size())};
  std::vector<GeoEpisode> episodes;
  const std::size_t places = jobs.size() - wanted.jobs + 1;
  for (std::uint32_t i = 0; i < wanted.count; ++i) {
    const std::size_t first = rng.below(places);
    episodes.push_back(episode_of(jobs.subspan(first, wanted.jobs)));
    const auto weeks = static_cast<std::int64_t>(rng.below(wanted.weeks + 1));
    delay(episodes.back(), weeks * Duration(std::chrono::hours(24 * 7)));
  }
  return episodes;
}

/// Jobs to validate with: of the scenario with keys changed, or the last ones.
struct ValidationJobs {
  std::vector<TracedJob> jobs{};
  std::size_t held = 0;  ///< that many of those for training are kept from it
  std::string origin{};
};

Result<ValidationJobs> validation_jobs(const GeoDataRequest& request,
                                       const LoadedScenario& loaded) {
  const auto all = static_cast<double>(loaded.jobs.size());
  if (request.validation_overrides.empty()) {
    const auto held = static_cast<std::size_t>(all * request.held_out);
    return ValidationJobs{
        .jobs = {loaded.jobs.end() - static_cast<std::ptrdiff_t>(held), loaded.jobs.end()},
        .held = held,
        .origin = fmt::format("held-out {}", request.held_out)};
  }
  std::vector<std::string> overrides = request.overrides;
  overrides.insert(overrides.end(), request.validation_overrides.begin(),
                   request.validation_overrides.end());
  auto other = load_scenario(request.scenario, overrides);
  if (!other) return std::move(other).error().in("--validation-set");
  return ValidationJobs{.jobs = std::move(other->jobs),
                        .origin = fmt::format("validation {}", other->scenario.hash)};
}

Result<GeoTrainingData> data_of(const GeoDataRequest& request, const LoadedScenario& loaded) {
  auto world = world_of(request, loaded);
  if (!world) return std::move(world).error();
  const auto validating = validation_jobs(request, loaded);
  if (!validating) return validating.error();
  const Rng rng = Rng(request.seed).stream("episodes");
  const std::span<const TracedJob> jobs = loaded.jobs;
  auto training =
      draw_geo_episodes(jobs.first(jobs.size() - validating->held),
                        {request.episodes, request.episode, request.weeks}, rng.stream("training"));
  if (!training) return std::move(training).error().in("the part for training");
  const Rng alike = Rng(kValidationSeed).stream("episodes");
  auto validation = draw_geo_episodes(validating->jobs, {request.validation, request.episode, 0},
                                      alike.stream("validation"));
  if (!validation) return std::move(validation).error().in("the part for validation");
  return GeoTrainingData{.world = *std::move(world),
                         .training = *std::move(training),
                         .validation = *std::move(validation),
                         .origin = fmt::format("{} {} weeks {}", loaded.scenario.hash,
                                               validating->origin, request.weeks)};
}

}  // namespace

Result<PreparedQueueData> prepare_queue_data(const QueueDataRequest& request) {
  const auto loaded = load_scenario(request.scenario, request.overrides);
  if (!loaded) return loaded.error();
  const auto& [scenario, workload, jobs] = *loaded;
  const Machine machine = machine_for(scenario, jobs, request.per_gpu_hour);
  const std::vector<Task> tasks = tasks_on(machine, jobs, request.weighing);
  PlayRules rules = request.rules;
  rules.gpus = machine.gpus;
  rules.queue.over_request = scenario.workload.over_request;
  auto data = draw_queue_data(request, tasks, rules);
  if (!data) return std::move(data).error().in(request.scenario.string());
  data->origin = fmt::format("{} held-out {} rate {} {}", scenario.hash, request.held_out,
                             request.per_gpu_hour,
                             request.weighing == Weighing::by_cost ? "cost" : "slowdown");
  constexpr std::size_t kRemembered = 1024;
  return PreparedQueueData{.scenario = scenario.name,
                           .hash = scenario.hash,
                           .machine = machine,
                           .tasks = tasks.size(),
                           .past = past_of(jobs, kRemembered),
                           .data = *std::move(data),
                           .remarks = workload.notes};
}

Result<PreparedGeoData> prepare_geo_data(const GeoDataRequest& request) {
  const auto loaded = load_scenario(request.scenario, request.overrides);
  if (!loaded) return loaded.error();
  if (loaded->scenario.cluster.network.empty())
    return Error{fmt::format("{}: agents choose among sites that are joined; possible: [network]",
                             request.scenario.string())};
  auto data = data_of(request, *loaded);
  if (!data) return std::move(data).error().in(request.scenario.string());
  return PreparedGeoData{.scenario = loaded->scenario.name,
                         .hash = loaded->scenario.hash,
                         .jobs = loaded->jobs.size(),
                         .data = *std::move(data),
                         .remarks = loaded->workload.notes};
}

}  // namespace penstock
