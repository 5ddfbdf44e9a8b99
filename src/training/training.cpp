#include "training/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/version.h"
#include "io/text/file.h"
#include "learn/geo/geo_episode.h"
#include "learn/geo/geo_trainer.h"
#include "learn/geo/geo_weights.h"
#include "learn/mars/trainer.h"

namespace penstock {
namespace {

template <class Trainer>
Result<Done> resume_if_asked(const TrainingFiles& files, Trainer& trainer) {
  if (!files.resume) return Done{};
  const auto bytes = read_file(files.checkpoint());
  if (!bytes) return bytes.error();
  if (auto fine = trainer.resume(*bytes); !fine)
    return std::move(fine).error().in(files.checkpoint());
  return Done{};
}

template <class Trainer>
Result<Done> write_checkpoint(const TrainingFiles& files, const Trainer& trainer) {
  if (files.out.empty()) return Done{};
  return replace_file(files.checkpoint(), trainer.checkpoint());
}

/// Why a training ends before its time, and where its last good state is kept.
template <class Trainer>
Error stopped(const TrainingFiles& files, const Trainer& trainer, Error reason) {
  if (files.out.empty()) return std::move(reason).in("training stopped");
  if (auto kept = write_checkpoint(files, trainer); !kept) return std::move(kept).error();
  return Error{fmt::format("training stopped: {}; the last good state is in {}", reason.message,
                           files.checkpoint())};
}

/// Trains to the end. `report()` tells how it stands.
template <class Trainer, class Report>
Result<Done> run_steps(const TrainingFiles& files, Trainer& trainer, const Report& report,
                       const TrainingCallbacks& callbacks) {
  for (std::uint32_t count = 1; !trainer.finished(); ++count) {
    if (auto done = trainer.step(); !done) return stopped(files, trainer, std::move(done).error());
    if (callbacks.progress) callbacks.progress(report());
    if (count % files.checkpoint_every != 0 && !trainer.finished()) continue;
    if (auto kept = write_checkpoint(files, trainer); !kept) return kept;
  }
  return Done{};
}

Result<Done> write_results(const TrainingFiles& files, const TrainingResult& result,
                           const std::string& scenario) {
  if (files.out.empty()) return Done{};
  if (auto done = replace_file(files.out, result.weights); !done) return done;
  if (auto done = replace_file(files.csv_path(), training_csv(result.report)); !done) return done;
  return replace_file(files.plot_path(),
                      training_svg(result.report, fmt::format("penstock train {}", scenario)));
}

/// Texts for whoever finds the weights, with the curve and the version added.
std::map<std::string, std::string> about_training(const TrainingReport& report,
                                                  std::map<std::string, std::string> texts) {
  texts["curve"] = curve_summary(report);
  texts["curve_csv"] = training_csv(report);
  texts["version"] = kVersion;
  return texts;
}

void send_notes(const NoteCallback& note, const std::vector<std::string>& remarks) {
  if (!note) return;
  for (const std::string& line : remarks) note(line);
}

Result<Done> fill_in_teachers(QueueTrainingRequest& request) {
  const auto policies = trained_policies();
  const auto policy = std::ranges::find(policies, request.policy, &TrainedPolicy::name);
  if (policy == policies.end())
    return Error{fmt::format("--policy: there is no training of '{}'", request.policy)};
  std::vector<std::string>& teachers = request.teachers;
  if (teachers.empty())
    teachers.assign(policy->usual_teachers.begin(), policy->usual_teachers.end());
  if (auto fine = check_teachers(teachers); !fine) return std::move(fine).error().in("--teachers");
  if (policy->one_network && teachers.size() > 1) {
    const auto several = std::ranges::find(policies, false, &TrainedPolicy::one_network);
    return Error{
        fmt::format("--teachers: the policy {} has one network; name one teacher, or "
                    "--policy {}",
                    policy->name, several->name)};
  }
  request.settings.teachers = teachers;
  return Done{};
}

/// The options that matter, so that whoever finds the weights can make them again.
std::string command_of(const QueueTrainingRequest& request) {
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

std::string command_of(const GeoTrainingRequest& request) {
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

TrainingReport report_of(const QueueTrainer& trainer) {
  TrainingReport report{.updates = trainer.settings().updates,
                        .reference = -1,
                        .baseline = "best heuristic in hindsight",
                        .measure = "cost x slowdown over the best heuristic's",
                        .curve = trainer.curve()};
  for (std::size_t m = 0; m < trainer.settings().teachers.size(); ++m)
    report.networks.push_back(trainer.name_of(m));
  return report;
}

TrainingReport report_of(const GeoTrainer& trainer, const GeoBaseline& best) {
  return {.networks = {std::string(trainer.settings().variant.name)},
          .updates = trainer.settings().updates,
          .reference = best.mean_return,
          .baseline = best.name,
          .measure = "what a job costs, in mean jobs of local",
          .curve = trainer.curve()};
}

std::string weights_of(const QueueTrainingRequest& request, const PreparedQueueData& prepared,
                       const QueueTrainer& trainer) {
  return encode_ensemble(
      {.members = trainer.members(),
       .about = about_training(report_of(trainer),
                               {{"scenario", prepared.scenario},
                                {"scenario_hash", prepared.hash},
                                {"command", command_of(request)},
                                {"seed", std::to_string(request.data.seed)},
                                {"window", std::to_string(request.data.rules.window)}}),
       .past = prepared.past});
}

std::string weights_of(const GeoTrainingRequest& request, const PreparedGeoData& prepared,
                       const GeoTrainer& trainer, const TrainingReport& report) {
  return encode_geo_agent(
      {.net = trainer.best(),
       .rules = trainer.rules(),
       .about = about_training(report, {{"scenario", prepared.scenario},
                                        {"scenario_hash", prepared.hash},
                                        {"command", command_of(request)},
                                        {"seed", std::to_string(request.settings.seed)}})});
}

std::string table_of(const QueueTrainer& trainer) {
  const QueueTrainingData& data = trainer.data();
  std::vector<std::pair<double, std::string>> baselines;
  for (const Strategy& strategy : all_strategies())
    if (strategy.backfill == data.rules.queue.backfill)
      baselines.emplace_back(mean_return(strategy, data.validation, data.rules), strategy.name);
  return fmt::format(
             "mean return on {} validation episodes; -1 is the best heuristic of each in "
             "hindsight\n",
             data.validation.size()) +
         training_table(report_of(trainer), std::move(baselines));
}

std::string table_of(const GeoTrainer& trainer, const TrainingReport& report,
                     const std::vector<GeoBaseline>& baselines) {
  std::vector<std::pair<double, std::string>> rows;
  rows.reserve(baselines.size() + 1);
  for (const GeoBaseline& baseline : baselines)
    rows.emplace_back(baseline.mean_return, baseline.name);
  return fmt::format("mean return of a job in {} validation episodes, in mean jobs of local\n{}",
                     trainer.data().validation.size(), training_table(report, std::move(rows)));
}

}  // namespace

std::span<const TrainedPolicy> trained_policies() {
  static constexpr std::array kUntaughtOnly{kNoTeacher};
  static constexpr auto kOrders = std::to_array<std::string_view>({"sjf", "f1", "wfp3"});
  static constexpr auto kAll = std::to_array<TrainedPolicy>({
      {"rl", "one network", kUntaughtOnly, true},
      {"mars", "one for each teacher", kOrders},
  });
  return kAll;
}

Result<TrainingResult> train_queue(QueueTrainingRequest request,
                                   const TrainingCallbacks& callbacks) {
  if (auto fine = fill_in_teachers(request); !fine) return std::move(fine).error();
  auto prepared = prepare_queue_data(request.data);
  if (!prepared) return std::move(prepared).error();
  send_notes(callbacks.note, prepared->remarks);
  QueueTrainer trainer(request.settings, std::move(prepared->data));
  if (auto fine = resume_if_asked(request.files, trainer); !fine) return std::move(fine).error();
  if (callbacks.started)
    callbacks.started(fmt::format("training on {}: {} tasks, {} x {}, {} episodes of {}",
                                  prepared->scenario, prepared->tasks, prepared->machine.gpus,
                                  prepared->machine.type.name, trainer.data().training.size(),
                                  request.data.episodes.tasks));
  const auto report = [&] { return report_of(trainer); };
  if (auto done = run_steps(request.files, trainer, report, callbacks); !done)
    return std::move(done).error();
  TrainingResult result{.weights = weights_of(request, *prepared, trainer), .report = report()};
  if (auto done = write_results(request.files, result, prepared->scenario); !done)
    return std::move(done).error();
  result.table = table_of(trainer);
  return result;
}

Result<TrainingResult> train_geo(GeoTrainingRequest request, const TrainingCallbacks& callbacks) {
  const auto teachers = geo_teachers();
  const auto teacher = std::ranges::find(teachers, request.teacher, &NamedGeoTeacher::name);
  if (teacher == teachers.end())
    return Error{fmt::format("--teacher: there is no '{}'", request.teacher)};
  request.settings.teacher = teacher->teacher;
  auto prepared = prepare_geo_data(request.data);
  if (!prepared) return std::move(prepared).error();
  send_notes(callbacks.note, prepared->remarks);
  auto trainer = GeoTrainer::make(request.settings, std::move(prepared->data));
  if (!trainer) return std::move(trainer).error();
  if (auto fine = resume_if_asked(request.files, *trainer); !fine) return std::move(fine).error();
  const GeoTrainingData& data = trainer->data();
  if (callbacks.started)
    callbacks.started(fmt::format(
        "training on {}: {} jobs, {} sites, {} episodes of {}", prepared->scenario, prepared->jobs,
        data.world.cluster.sites.size(), data.training.size(), request.data.episode));
  const auto baselines =
      geo_baselines(data.world, trainer->rules(), data.validation, request.settings.threads);
  if (!baselines) return baselines.error();
  const auto report = [&] { return report_of(*trainer, baselines->front()); };
  if (auto done = run_steps(request.files, *trainer, report, callbacks); !done)
    return std::move(done).error();
  TrainingResult result{.report = report()};
  result.weights = weights_of(request, *prepared, *trainer, result.report);
  if (auto done = write_results(request.files, result, prepared->scenario); !done)
    return std::move(done).error();
  result.table = table_of(*trainer, result.report, *baselines);
  return result;
}

}  // namespace penstock
