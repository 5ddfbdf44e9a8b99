#include "app/sweep_train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/sweep_train_text.h"
#include "base/version.h"
#include "experiment/sweep/merge.h"
#include "io/text/file.h"
#include "live/batch/child_process.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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

/// `penstock train` as this point has it; what was begun is resumed.
std::vector<std::string> train_words(const SweepRequest& request, const SweepFolder& folder,
                                     std::size_t index, std::size_t threads) {
  const SweepPoint& point = folder.plan().points[index];
  const Combination& swept = folder.plan().combinations[point.combination];
  const fs::path weights = folder.of(index) / kWeightsName;
  std::error_code ignored;
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe", ignored).string(),
                                 "train",
                                 request.scenario,
                                 "--policy=" + point.policy.name,
                                 "--out=" + weights.string(),
                                 fmt::format("--jobs={}", threads)};
  if (fs::exists(weights.string() + ".checkpoint", ignored)) words.emplace_back("--resume");
  for (const std::string& change : overrides_of(request, swept)) words.push_back("--set=" + change);
  for (const std::string& change : swept)
    if (!is_of_scenario(change)) words.push_back("--" + change);
  words.insert(words.end(), request.train_options.begin(), request.train_options.end());
  return words;
}

/// The last line of a log that says something of its own.
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
  if (auto made = folder.make(index); !made) return std::move(made).error();
  const fs::path log = folder.of(index) / "train.log";
  const auto end = run_command(train_words(request, folder, index, threads), log);
  if (!end) return end.error();
  if (end->exit_code != 0) {
    const auto said = read_file(log);
    return Error{fmt::format("penstock train ended with {}: {}", end->exit_code,
                             said ? last_line(*said) : log.string())};
  }
  const fs::path curve = (folder.of(index) / kWeightsName).string() + ".csv";
  const auto csv = read_file(curve);
  if (!csv) return csv.error();
  const auto score = score_of_curve(*csv, curve.string());
  if (!score) return score.error();
  return training_json(folder.plan().points[index], *score);
}

}  // namespace

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
  std::vector<Training> trainings;
  for (std::size_t i = 0; i < folder.plan().points.size(); ++i) {
    if (!folder.has(i)) continue;
    const auto text = folder.read(i);
    if (!text) return text.error();
    auto training = parse_training(*text);
    if (!training) return std::move(training).error().in((folder.of(i) / "summary.json").string());
    const SweepPoint& point = folder.plan().points[i];
    trainings.push_back({.point = &point,
                         .changes = changes_of(folder.plan(), point),
                         .weights = folder.of(i) / kWeightsName,
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
