#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/training_score.h"
#include "experiment/sweep/plan.h"

namespace penstock {

inline constexpr const char* kWeightsName = "weights.safetensors";

/// A point of a sweep of trainings that has ended.
struct Training {
  const SweepPoint* point = nullptr;
  std::vector<std::pair<std::string, std::string>> changes{};
  std::filesystem::path weights{};
  TrainingScore score{};
};

/// The summary.json of one point, and the score in it.
std::string training_json(const SweepPoint& point, const TrainingScore& score);
Result<TrainingScore> parse_training(std::string_view text);

/// All of them: as JSON and CSV in their order, for people with the best first.
std::string trainings_json(const std::vector<Training>& trainings);
std::string trainings_csv(const std::vector<Training>& trainings);
std::string trainings_table(const std::vector<Training>& trainings);

}  // namespace penstock
