#include "training/training_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "batch/child_process.h"
#include "experiment/sweep/merge.h"
#include "io/text/file.h"
#include "report/files/csv_line.h"
#include "report/terminal/text.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json score_json(const TrainingScore& score) {
  return {{"networks", score.networks},          {"updates", score.updates},
          {"first_return", score.first},         {"best_return", score.best},
          {"reference_return", score.reference}, {"margin", score.margin()}};
}

Json facts_json(const SweepPoint& point) {
  Json facts = Json::object();
  for (const auto& [name, value] : point.facts) facts[name] = value;
  return facts;
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const TrainedPoint& best_of(const std::vector<TrainedPoint>& trainings) {
  return *std::ranges::max_element(trainings, {},
                                   [](const TrainedPoint& t) { return t.score.margin(); });
}

namespace fs = std::filesystem;
bool is_of_scenario(std::string_view change) {
  return change.substr(0, change.find('=')).find('.') != std::string_view::npos;
}

/// What a combination sets in the scenario, after --set.
std::vector<std::string> overrides_of(const SweepRequest& request, const Combination& swept) {
  std::vector<std::string> overrides = request.overrides;
  std::ranges::copy_if(swept, std::back_inserter(overrides), is_of_scenario);
  return overrides;
}

SweepPoint point_of(const Scenario& scenario, const std::string& policy, const Combination& swept,
                    const SweepRequest& request) {
  return {.policy = {.name = policy},
          .label = fmt::format("{} {}", policy, fmt::join(swept, " ")),
          .facts = {{"version", kVersion},
                    {"scenario_hash", scenario.hash},
                    {"train", policy},
                    {"changes", fmt::format("{}", fmt::join(swept, "; "))},
                    {"options", fmt::format("{}", fmt::join(request.train_options, " "))}}};
}

Result<SweepPlan> plan_points(const SweepRequest& request) {
  auto axes = parse_axes(request.vary);
  if (!axes) return std::move(axes).error();
  SweepPlan plan{.combinations = sweep_overrides(Scenario{.sweep = *axes})};
  for (const SweepAxis& axis : *axes) plan.axes.push_back(axis.key);
  for (std::size_t i = 0; i < plan.combinations.size(); ++i) {
    const Combination& swept = plan.combinations[i];
    const auto scenario =
        read_scenario(request.scenario, overrides_of(request, swept), check_choice);
    if (!scenario) return scenario.error();
    for (const std::string& policy : request.train) {
      plan.points.push_back(point_of(*scenario, policy, swept, request));
      plan.points.back().combination = i;
    }
  }
  if (auto named = name_points(plan); !named) return std::move(named).error();
  return plan;
}

/// The command line of `penstock train` for a point. It resumes if there is a checkpoint.
std::vector<std::string> train_command(const SweepRequest& request, const SweepFolder& folder,
                                       std::size_t index, std::size_t threads) {
  const SweepPoint& point = folder.plan().points[index];
  const Combination& swept = folder.plan().combinations[point.combination];
  const fs::path weights = folder.point_path(index) / kWeightsName;
  std::error_code ignored;
  std::vector<std::string> command{fs::read_symlink("/proc/self/exe", ignored).string(),
                                   "train",
                                   request.scenario,
                                   "--policy=" + point.policy.name,
                                   "--out=" + weights.string(),
                                   fmt::format("--jobs={}", threads)};
  if (fs::exists(weights.string() + ".checkpoint", ignored)) command.emplace_back("--resume");
  for (const std::string& change : overrides_of(request, swept))
    command.push_back("--set=" + change);
  for (const std::string& change : swept)
    if (!is_of_scenario(change)) command.push_back("--" + change);
  command.insert(command.end(), request.train_options.begin(), request.train_options.end());
  return command;
}

/// The last line of a log that is not a hint ("Try: ...").
std::string last_line(std::string_view text) {
  std::string_view line;
  while (!text.empty() && (line.empty() || line.starts_with("Try: "))) {
    text = text.substr(0, text.find_last_not_of('\n') + 1);
    line = text.substr(text.rfind('\n') + 1);
    text.remove_suffix(line.size());
  }
  return std::string(line);
}

Result<std::string> train_point(const SweepRequest& request, const SweepFolder& folder,
                                std::size_t index, std::size_t threads) {
  if (auto made = folder.create_point(index); !made) return std::move(made).error();
  const fs::path log = folder.point_path(index) / "train.log";
  const auto end = run_command(train_command(request, folder, index, threads), log);
  if (!end) return end.error();
  if (end->exit_code != 0) {
    const auto text = read_file(log);
    return Error{fmt::format("penstock train ended with {}: {}", end->exit_code,
                             text ? last_line(*text) : log.string())};
  }
  const fs::path curve = (folder.point_path(index) / kWeightsName).string() + ".csv";
  const auto csv = read_file(curve);
  if (!csv) return csv.error();
  const auto score = score_of_curve(*csv, curve.string());
  if (!score) return score.error();
  return training_json(folder.plan().points[index], *score);
}

}  // namespace

std::string training_json(const SweepPoint& point, const TrainingScore& score) {
  return json_text({{"version", kVersion},
                    {"point", facts_json(point)},
                    {"training", score_json(score)},
                    {"runs", Json::array()}});
}

Result<TrainingScore> parse_training(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  const auto training = root.is_object() ? root.find("training") : root.end();
  if (!root.is_object() || training == root.end() || !training->is_object())
    return Error{"is not the summary of a training"};
  const auto number = [&](const char* name) {
    const auto found = training->find(name);
    return found != training->end() && found->is_number() ? found->get<double>() : 0.0;
  };
  return TrainingScore{.networks = static_cast<std::size_t>(number("networks")),
                       .updates = static_cast<std::uint64_t>(number("updates")),
                       .first = number("first_return"),
                       .best = number("best_return"),
                       .reference = number("reference_return")};
}

std::string trainings_json(const std::vector<TrainedPoint>& trainings) {
  Json all = Json::array();
  for (const TrainedPoint& training : trainings) {
    Json one = score_json(training.score);
    one["point"] = facts_json(*training.point);
    one["weights"] = training.weights.string();
    all.push_back(std::move(one));
  }
  return json_text({{"version", kVersion},
                    {"best", best_of(trainings).weights.string()},
                    {"trainings", std::move(all)},
                    {"runs", Json::array()}});
}

std::string trainings_csv(const std::vector<TrainedPoint>& trainings) {
  std::string text;
  {
    CsvLine head(text);
    for (const char* name : {"point", "policy"}) head.text(name);
    for (const auto& change : trainings.front().changes) head.text(change.first);
    for (const char* name : {"networks", "updates", "first_return", "best_return",
                             "reference_return", "margin", "best", "weights"})
      head.text(name);
  }
  for (const TrainedPoint& training : trainings) {
    CsvLine line(text);
    line.text(training.point->folder);
    line.text(training.point->policy.name);
    for (const auto& change : training.changes) line.text(change.second);
    const TrainingScore& score = training.score;
    line.count(score.networks);
    line.count(score.updates);
    for (const double value : {score.first, score.best, score.reference, score.margin()})
      line.number(value);
    line.count(&training == &best_of(trainings) ? 1 : 0);
    line.text(training.weights.string());
  }
  return text;
}

std::string trainings_table(const std::vector<TrainedPoint>& trainings) {
  std::vector<const TrainedPoint*> order;
  order.reserve(trainings.size());
  for (const TrainedPoint& training : trainings) order.push_back(&training);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const TrainedPoint* t) { return t->score.margin(); });
  std::size_t width = 8;
  for (const TrainedPoint* t : order) width = std::max(width, display_width(t->point->label));
  std::string text =
      fmt::format("{}{:>9}{:>10}{:>10}{:>10}{:>10}\n", left_aligned("training", width), "updates",
                  "at first", "best", "rival", "margin");
  for (const TrainedPoint* t : order)
    text += fmt::format("{}{:>9}{:>10.3f}{:>10.3f}{:>10.3f}{:>+10.3f}\n",
                        left_aligned(t->point->label, width), t->score.updates, t->score.first,
                        t->score.best, t->score.reference, t->score.margin());
  return text +
         fmt::format(
             "mean returns in validation over the networks of a training; the margin is what the "
             "best is above the rival\nTrainings with another seed are judged by other episodes.\n"
             "best: {}\n",
             best_of(trainings).weights.string());
}

Result<PlannedSweep> plan_trainings(const SweepRequest& request) {
  auto plan = plan_points(request);
  if (!plan) return std::move(plan).error();
  PlannedSweep sweep{.plan = *std::move(plan)};
  sweep.runner = [&request](const SweepFolder& folder, const std::vector<std::size_t>& points) {
    const std::size_t at_once = std::clamp<std::size_t>(points.size(), 1, request.threads);
    return [&request, &folder, threads = request.threads / at_once](std::size_t point) {
      return train_point(request, folder, point, threads);
    };
  };
  return sweep;
}

Result<std::string> merge_trainings(const SweepFolder& folder, bool json) {
  std::vector<TrainedPoint> trainings;
  for (std::size_t i = 0; i < folder.plan().points.size(); ++i) {
    if (!folder.has(i)) continue;
    const auto text = folder.read(i);
    if (!text) return text.error();
    auto training = parse_training(*text);
    if (!training)
      return std::move(training).error().in((folder.point_path(i) / "summary.json").string());
    const SweepPoint& point = folder.plan().points[i];
    trainings.push_back({.point = &point,
                         .changes = changes_of(folder.plan(), point),
                         .weights = folder.point_path(i) / kWeightsName,
                         .score = *training});
  }
  if (trainings.empty()) return std::string();
  const std::string summary = trainings_json(trainings);
  if (auto done = replace_file(folder.path() / "summary.json", summary); !done)
    return std::move(done).error();
  if (auto done = replace_file(folder.path() / "sweep.csv", trainings_csv(trainings)); !done)
    return std::move(done).error();
  return json ? summary : trainings_table(trainings);
}

}  // namespace penstock
