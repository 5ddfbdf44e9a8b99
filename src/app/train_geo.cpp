#include "app/train_geo.h"

#include <fmt/format.h>

#include "app/commands.h"
#include "io/text/file.h"
#include "learn/geo/geo_episode.h"
#include "learn/geo/geo_trainer.h"
#include "learn/geo/geo_weights.h"

namespace penstock {
namespace {

/// The options that matter, so that whoever finds the weights can make them again.
std::string command_of(const GeoTrainRequest& request) {
  const GeoDataRequest& data = request.data;
  const GeoTrainingSettings& settings = request.settings;
  std::string text =
      fmt::format("penstock train {} --policy {}", data.scenario.string(), settings.variant.name);
  for (const std::string& change : data.overrides) text += " --set " + change;
  for (const std::string& change : data.validation_overrides) text += " --validation-set " + change;
  if (data.validation_overrides.empty()) text += fmt::format(" --held-out {}", data.held_out);
  text += fmt::format(" --site {} --slack {} --weeks {} --teacher {}", data.site, data.slack,
                      data.weeks, request.teacher);
  text += fmt::format(" --critic {}{}{}", settings.variant.joint_critic ? "joint" : "local",
                      settings.waiting ? "" : " --no-waiting",
                      settings.transfers ? "" : " --no-transfer-cost");
  text +=
      fmt::format(" --episode {} --episodes {} --validation {} --updates {} --worlds {}",
                  data.episode, data.episodes, data.validation, settings.updates, settings.worlds);
  text += fmt::format(" --validate-every {} --patience {} --policy-rate {} --softness {}",
                      settings.validate_every, settings.patience, settings.ppo.policy_rate,
                      settings.softness);
  return text +
         fmt::format(" --entropy {} --seed {} --out WEIGHTS", settings.ppo.entropy, settings.seed);
}

TrainingStory story_of(const GeoTrainer& trainer, const GeoBaseline& best) {
  return {.networks = {std::string(trainer.settings().variant.name)},
          .updates = trainer.settings().updates,
          .reference = best.mean_return,
          .rival = best.name,
          .measure = "what a job costs, in mean jobs of local",
          .curve = trainer.curve()};
}

Result<Done> write_results(const GeoTrainRequest& request, const PreparedGeoData& prepared,
                           const GeoTrainer& trainer, const TrainingStory& story) {
  const GeoAgent agent{
      .net = trainer.best(),
      .rules = trainer.rules(),
      .about = about_training(story, {{"scenario", prepared.scenario},
                                      {"scenario_hash", prepared.hash},
                                      {"command", command_of(request)},
                                      {"seed", std::to_string(request.settings.seed)}})};
  if (auto done = replace_file(request.files.out, encode_geo_agent(agent)); !done) return done;
  return write_curve(request.files, story, fmt::format("penstock train {}", prepared.scenario));
}

void print_results(const GeoTrainer& trainer, const TrainingStory& story,
                   const std::vector<GeoBaseline>& rivals) {
  std::vector<std::pair<double, std::string>> rows;
  rows.reserve(rivals.size() + 1);
  for (const GeoBaseline& rival : rivals) rows.emplace_back(rival.mean_return, rival.name);
  fmt::print("mean return of a job in {} validation episodes, in mean jobs of local\n{}",
             trainer.data().validation.size(), training_table(story, std::move(rows)));
}

}  // namespace

Result<Done> train_geo(GeoTrainRequest request) {
  if (request.teacher == "none") request.settings.teacher = GeoTeacher::none;
  if (request.teacher == "thrifty-wait") request.settings.teacher = GeoTeacher::thrifty_wait;
  auto prepared = prepare_geo_data(request.data);
  if (!prepared) return std::move(prepared).error();
  for (const std::string& line : prepared->remarks) remark("note: " + line);
  auto trainer = GeoTrainer::make(request.settings, std::move(prepared->data));
  if (!trainer) return std::move(trainer).error();
  std::vector<GeoBaseline> rivals{{.name = "best rule"}};
  const auto story = [&] { return story_of(*trainer, rivals.front()); };
  const TrainingSteps steps = steps_of(*trainer, story);
  if (auto begun = begin_training(request.files, steps); !begun) return begun;
  if (request.files.shown)
    remark(fmt::format("training on {}: {} jobs, {} sites, {} episodes of {}", prepared->scenario,
                       prepared->jobs, trainer->data().world.cluster.sites.size(),
                       trainer->data().training.size(), request.data.episode));
  auto judged = geo_baselines(trainer->data().world, trainer->rules(), trainer->data().validation,
                              request.settings.threads);
  if (!judged) return std::move(judged).error();
  rivals = *std::move(judged);
  if (auto done = run_training(request.files, steps); !done) return done;
  if (auto done = write_results(request, *prepared, *trainer, story()); !done) return done;
  print_results(*trainer, story(), rivals);
  remark(
      fmt::format("wrote {}, {} and {}", request.files.out, request.files.csv, request.files.plot));
  return Done{};
}

}  // namespace penstock
