#include "app/train_geo_grounds.h"

#include <fmt/format.h>

#include "experiment/policy_choice.h"
#include "experiment/workload.h"
#include "policies/geo/make_geo.h"
#include "registry/registry.h"

namespace penstock {
namespace {

struct Loaded {
  Scenario scenario{};
  Workload workload{};
  std::vector<TracedJob> jobs{};
};

Result<Loaded> load(const GeoDataRequest& request, std::span<const std::string> more) {
  std::vector<std::string> overrides = request.overrides;
  overrides.insert(overrides.end(), more.begin(), more.end());
  auto scenario = read_scenario(request.scenario, overrides, check_choice);
  if (!scenario) return std::move(scenario).error();
  auto workload = load_workload(*scenario);
  if (!workload) return std::move(workload).error();
  Loaded loaded{.scenario = *std::move(scenario), .workload = *std::move(workload)};
  const auto source = loaded.workload.source();
  while (auto job = source->next()) loaded.jobs.push_back(*std::move(job));
  return loaded;
}

/// The policy of each site, if `simulate` would take it too.
Result<PolicyChoice> site_of(const GeoDataRequest& request, const Scenario& scenario) {
  auto site = parse_choice(request.site);
  if (!site) return std::move(site).error().in("--site");
  PolicyChoice whole{.name = "geo", .options = {{"router", "local"}, {"site", site->name}}};
  for (const auto& [name, value] : site->options)
    whole.options[std::string(kSiteOption) + name] = value;
  if (auto fine = check_choice(whole); !fine) return std::move(fine).error().in("--site");
  if (auto fine = check_homes(whole, scenario); !fine) return std::move(fine).error();
  return site;
}

Result<GeoWorld> world_of(const GeoDataRequest& request, const Loaded& loaded) {
  const auto site = site_of(request, loaded.scenario);
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

void put_off(GeoEpisode& episode, Duration by) {
  episode.start += by;
  for (TracedJob& traced : episode.jobs) {
    traced.job.submitted += by;
    if (traced.job.deadline) *traced.job.deadline += by;
  }
}

/// The seed of episodes to judge by: the same for every --seed, so that trainings compare.
constexpr std::uint64_t kJudges = 1;

struct Draw {
  std::uint32_t count = 0;
  std::uint32_t jobs = 0;  ///< in each
  std::uint32_t weeks = 0;
};

/// Stretches of consecutive jobs.
Result<std::vector<GeoEpisode>> draw(std::span<const TracedJob> jobs, const Draw& wanted, Rng rng) {
  if (jobs.size() < wanted.jobs)
    return Error{fmt::format("--episode {}: there are only {} jobs", wanted.jobs, jobs.size())};
  std::vector<GeoEpisode> episodes;
  const std::size_t places = jobs.size() - wanted.jobs + 1;
  for (std::uint32_t i = 0; i < wanted.count; ++i) {
    const std::size_t first = rng.below(places);
    episodes.push_back(episode_of(jobs.subspan(first, wanted.jobs)));
    const auto weeks = static_cast<std::int64_t>(rng.below(wanted.weeks + 1));
    put_off(episodes.back(), weeks * Duration(std::chrono::hours(24 * 7)));
  }
  return episodes;
}

/// Jobs to judge by: of the scenario with keys changed, or the last ones.
struct Judges {
  std::vector<TracedJob> jobs{};
  std::size_t held = 0;  ///< that many of those for training are kept from it
  std::string origin{};
};

Result<Judges> judges_of(const GeoDataRequest& request, const Loaded& loaded) {
  const auto all = static_cast<double>(loaded.jobs.size());
  if (request.validation_overrides.empty()) {
    const auto held = static_cast<std::size_t>(all * request.held_out);
    return Judges{
        .jobs = {loaded.jobs.end() - static_cast<std::ptrdiff_t>(held), loaded.jobs.end()},
        .held = held,
        .origin = fmt::format("held-out {}", request.held_out)};
  }
  auto other = load(request, request.validation_overrides);
  if (!other) return std::move(other).error().in("--validation-set");
  return Judges{.jobs = std::move(other->jobs),
                .origin = fmt::format("validation {}", other->scenario.hash)};
}

Result<GeoTrainingData> data_of(const GeoDataRequest& request, const Loaded& loaded) {
  auto world = world_of(request, loaded);
  if (!world) return std::move(world).error();
  const auto judges = judges_of(request, loaded);
  if (!judges) return judges.error();
  const Rng rng = Rng(request.seed).stream("episodes");
  const std::span<const TracedJob> jobs = loaded.jobs;
  auto training = draw(jobs.first(jobs.size() - judges->held),
                       {request.episodes, request.episode, request.weeks}, rng.stream("training"));
  if (!training) return std::move(training).error().in("the part for training");
  const Rng alike = Rng(kJudges).stream("episodes");
  auto validation =
      draw(judges->jobs, {request.validation, request.episode, 0}, alike.stream("validation"));
  if (!validation) return std::move(validation).error().in("the part for validation");
  return GeoTrainingData{
      .world = *std::move(world),
      .training = *std::move(training),
      .validation = *std::move(validation),
      .origin = fmt::format("{} {} weeks {}", loaded.scenario.hash, judges->origin, request.weeks)};
}

}  // namespace

Result<PreparedGeoData> prepare_geo_data(const GeoDataRequest& request) {
  const auto loaded = load(request, {});
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
                         .remarks = loaded->workload.remarks};
}

}  // namespace penstock
