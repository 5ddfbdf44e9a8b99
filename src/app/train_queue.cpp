#include "app/train_queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.h"
#include "io/text/file.h"
#include "learn/mars/trainer.h"

namespace penstock {
namespace {

Result<Done> complete(QueueTrainRequest& request) {
  std::vector<std::string>& teachers = request.teachers;
  if (teachers.empty() && request.policy == "rl") teachers = {std::string(kNoTeacher)};
  if (teachers.empty()) teachers = {"sjf", "f1", "wfp3"};
  if (auto fine = check_teachers(teachers); !fine) return std::move(fine).error().in("--teachers");
  if (request.policy == "rl" && teachers.size() > 1)
    return Error{"--teachers: the policy rl has one network; name one teacher, or --policy mars"};
  request.settings.teachers = teachers;
  return Done{};
}

/// The options that matter, so that whoever finds the weights can make them again.
std::string command_of(const QueueTrainRequest& request) {
  const QueueDataRequest& data = request.data;
  const QueueTrainingSettings& settings = request.settings;
  std::string text =
      fmt::format("penstock train {} --policy {}", data.scenario.string(), request.policy);
  for (const std::string& change : data.overrides) text += " --set " + change;
  text += fmt::format(" --teachers {} --net {} --backfill {} --reward {} --gpu-hour-rate {}",
                      fmt::join(request.teachers, ","),
                      settings.kind == ActorKind::kernel ? "kernel" : "attention",
                      data.rules.queue.backfill == Backfill::easy ? "easy" : "none",
                      data.weighing == Weighing::by_cost ? "cost" : "slowdown", data.per_gpu_hour);
  text += fmt::format(" --episode {} --episodes {} --validation {} --held-out {} --window {}",
                      data.episodes.tasks, data.episodes.count, data.validation, data.held_out,
                      data.rules.window);
  text +=
      fmt::format(" --updates {} --worlds {} --validate-every {} --patience {}", settings.updates,
                  settings.worlds, settings.validate_every, settings.patience);
  return text + fmt::format(" --policy-rate {} --softness {} --entropy {} --seed {} --out WEIGHTS",
                            settings.ppo.policy_rate, settings.softness, settings.ppo.entropy,
                            data.seed);
}

TrainingStory story_of(const QueueTrainer& trainer) {
  TrainingStory story{.updates = trainer.settings().updates,
                      .reference = -1,
                      .rival = "best heuristic in hindsight",
                      .measure = "cost x slowdown over the best heuristic's",
                      .curve = trainer.curve()};
  for (std::size_t m = 0; m < trainer.settings().teachers.size(); ++m)
    story.networks.push_back(trainer.name_of(m));
  return story;
}

Result<Done> write_results(const QueueTrainRequest& request, const PreparedQueueData& prepared,
                           const QueueTrainer& trainer) {
  const TrainingStory story = story_of(trainer);
  Ensemble ensemble{.members = trainer.members(), .past = prepared.past};
  ensemble.about = about_training(story, {{"scenario", prepared.scenario},
                                          {"scenario_hash", prepared.hash},
                                          {"command", command_of(request)},
                                          {"seed", std::to_string(request.data.seed)},
                                          {"window", std::to_string(request.data.rules.window)}});
  if (auto done = replace_file(request.files.out, encode_ensemble(ensemble)); !done) return done;
  return write_curve(request.files, story, fmt::format("penstock train {}", prepared.scenario));
}

std::string result_text(const QueueTrainer& trainer) {
  const QueueTrainingData& data = trainer.data();
  std::vector<std::pair<double, std::string>> rivals;
  for (const Strategy& strategy : all_strategies())
    if (strategy.backfill == data.rules.queue.backfill)
      rivals.emplace_back(mean_return(strategy, data.validation, data.rules), strategy.name);
  return fmt::format(
             "mean return on {} validation episodes; -1 is the best heuristic of each in "
             "hindsight\n",
             data.validation.size()) +
         training_table(story_of(trainer), std::move(rivals));
}

}  // namespace

Result<Done> train_queue(QueueTrainRequest request) {
  if (auto fine = complete(request); !fine) return fine;
  auto prepared = prepare_queue_data(request.data);
  if (!prepared) return std::move(prepared).error();
  for (const std::string& line : prepared->remarks) remark("note: " + line);
  QueueTrainer trainer(request.settings, std::move(prepared->data));
  const TrainingSteps steps = steps_of(trainer, [&] { return story_of(trainer); });
  if (auto begun = begin_training(request.files, steps); !begun) return begun;
  if (request.files.shown)
    remark(fmt::format("training on {}: {} tasks, {} x {}, {} episodes of {}", prepared->scenario,
                       prepared->tasks, prepared->machine.gpus, prepared->machine.type.name,
                       trainer.data().training.size(), request.data.episodes.tasks));
  if (auto done = run_training(request.files, steps); !done) return done;
  if (auto done = write_results(request, *prepared, trainer); !done) return done;
  fmt::print("{}", result_text(trainer));
  remark(
      fmt::format("wrote {}, {} and {}", request.files.out, request.files.csv, request.files.plot));
  return Done{};
}

}  // namespace penstock
