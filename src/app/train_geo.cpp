#include "app/train_geo.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "app/commands.h"
#include "app/policy_choice.h"
#include "app/version.h"
#include "app/workload.h"
#include "io/text/file.h"
#include "learn/geo/geo_weights.h"
#include "learn/mars/learned_policies.h"
#include "report/csv_line.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

struct Loaded {
  Scenario scenario{};
  Workload workload{};
  std::vector<TracedJob> jobs{};
};

Result<Loaded> load(const GeoTrainRequest& request, std::span<const std::string> more) {
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

Result<GeoWorld> world_of(const GeoTrainRequest& request, const Loaded& loaded) {
  const auto site = parse_choice(request.site);
  if (!site) return Error(site.error()).in("--site");
  if (auto fine = check_choice(*site); !fine) return std::move(fine).error().in("--site");
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

struct Draw {
  std::uint32_t count = 0;
  std::uint32_t jobs = 0;  ///< in each
  std::uint32_t weeks = 0;
};

/// Stretches of consecutive jobs, evenly spread if they are not put off by chance.
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

Result<GeoGrounds> grounds_of(const GeoTrainRequest& request, const Loaded& loaded) {
  auto world = world_of(request, loaded);
  if (!world) return std::move(world).error();
  GeoGrounds grounds{.world = *std::move(world)};
  const Rng rng = Rng(request.settings.seed).stream("episodes");
  const bool apart = !request.validation_overrides.empty();
  std::span<const TracedJob> jobs = loaded.jobs;
  const auto held =
      apart ? 0 : static_cast<std::size_t>(static_cast<double>(jobs.size()) * request.held_out);
  auto training = draw(jobs.first(jobs.size() - held),
                       {request.episodes, request.episode, request.weeks}, rng.stream("training"));
  if (!training) return std::move(training).error().in("the part for training");
  grounds.training = *std::move(training);
  std::vector<TracedJob> others;
  if (apart) {
    auto other = load(request, request.validation_overrides);
    if (!other) return std::move(other).error().in("--validation-set");
    others = std::move(other->jobs);
  }
  auto validation = draw(apart ? std::span<const TracedJob>(others) : jobs.last(held),
                         {request.validation, request.episode, 0}, rng.stream("validation"));
  if (!validation) return std::move(validation).error().in("the part for validation");
  grounds.validation = *std::move(validation);
  return grounds;
}

std::string curve_csv(const GeoTrainer& trainer) {
  std::string text =
      "update,decisions,mean_return,validation_return,best_validation_return,entropy,kl,"
      "explained_variance,teacher_agreement\n";
  for (const GeoCurvePoint& point : trainer.curve()) {
    CsvLine line(text);
    line.count(point.update);
    line.count(point.decisions);
    for (const double value : {point.mean_return, point.validation, point.best, point.entropy,
                               point.divergence, point.explained, point.agreement})
      line.number(std::isnan(value) ? std::nullopt : std::optional(value));
  }
  return text;
}

Result<Done> write(const GeoTrainRequest& request, const Loaded& loaded,
                   const GeoTrainer& trainer) {
  const GeoAgent agent{.net = trainer.best(),
                       .rules = trainer.rules(),
                       .about = {{"scenario", loaded.scenario.name},
                                 {"scenario_hash", loaded.scenario.hash},
                                 {"curve_csv", curve_csv(trainer)},
                                 {"seed", std::to_string(request.settings.seed)},
                                 {"version", kVersion}}};
  if (auto done = replace_file(request.out, encode_geo_agent(agent)); !done) return done;
  return replace_file(request.csv, curve_csv(trainer));
}

void tell(const GeoTrainer& trainer, Clock::time_point begun) {
  const GeoCurvePoint& at = trainer.curve().back();
  const double elapsed = std::chrono::duration<double>(Clock::now() - begun).count();
  if (std::isnan(at.validation)) return;
  remark(
      fmt::format("update {} of {}: {:.4f} a job in validation, best {:.4f}; played {:.4f}, "
                  "entropy {:.3f}, {:.0f} s",
                  at.update, trainer.settings().updates, at.validation, at.best, at.mean_return,
                  at.entropy, elapsed));
}

}  // namespace

Result<Done> train_geo(GeoTrainRequest request) {
  if (request.teacher == "none") request.settings.teacher = GeoTeacher::none;
  if (request.teacher == "thrifty-wait") request.settings.teacher = GeoTeacher::thrifty_wait;
  const auto loaded = load(request, {});
  if (!loaded) return loaded.error();
  if (loaded->scenario.cluster.network.empty())
    return Error{fmt::format("{}: agents choose among sites that are joined; possible: [network]",
                             request.scenario.string())};
  auto grounds = grounds_of(request, *loaded);
  if (!grounds) return std::move(grounds).error().in(request.scenario.string());
  const Clock::time_point begun = Clock::now();
  auto trainer = GeoTrainer::make(request.settings, *std::move(grounds));
  if (!trainer) return std::move(trainer).error();
  while (!trainer->finished()) {
    if (auto done = trainer->step(); !done) return done;
    if (request.shown) tell(*trainer, begun);
  }
  if (auto done = write(request, *loaded, *trainer); !done) return done;
  const GeoCurvePoint& last = trainer->curve().back();
  fmt::print("{} in validation: {:.4f} a job at first, {:.4f} at best\n",
             request.settings.variant.name, trainer->curve().front().validation, last.best);
  remark(fmt::format("wrote {} and {}", request.out, request.csv));
  return Done{};
}

}  // namespace penstock
