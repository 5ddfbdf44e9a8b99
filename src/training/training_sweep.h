#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiment/sweep/plan.h"
#include "experiment/sweep/sweep.h"
#include "training/training_report.h"

namespace penstock {

/// The weights file in the folder of a point.
inline constexpr const char* kWeightsName = "weights.safetensors";

/// A point of a sweep of trainings that has ended.
struct TrainedPoint {
  const SweepPoint* point = nullptr;
  std::vector<std::pair<std::string, std::string>> changes{};
  std::filesystem::path weights{};
  TrainingScore score{};
};

/// The text of the summary.json of one point.
std::string training_json(const SweepPoint& point, const TrainingScore& score);
/// The score in the text of a summary.json.
Result<TrainingScore> parse_training(std::string_view text);

/// All trainings of a sweep. There must be one. JSON and CSV keep their order, the table for people
/// has the best first.
std::string trainings_json(const std::vector<TrainedPoint>& trainings);
std::string trainings_csv(const std::vector<TrainedPoint>& trainings);
std::string trainings_table(const std::vector<TrainedPoint>& trainings);

/// A sweep that runs `penstock train` for each point, in a process of its own, and resumes from a
/// checkpoint where there is one. `request` must outlive the plan.
Result<PlannedSweep> plan_trainings(const SweepRequest& request);

/// Merges the trainings that have ended: writes summary.json and sweep.csv into the sweep's
/// folder. Returns the text of summary.json, or a table for people; empty if none has ended.
Result<std::string> merge_trainings(const SweepFolder& folder, bool json);

}  // namespace penstock
