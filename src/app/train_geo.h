#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/geo/geo_trainer.h"

namespace penstock {

/// What `penstock train` is asked for agents that choose sites.
struct GeoTrainRequest {
  std::filesystem::path scenario{};
  std::vector<std::string> overrides{};
  std::vector<std::string> validation_overrides{};  ///< none: the last jobs are held out
  std::string out{};
  std::string csv{};
  std::string site = "fifo:backfill=easy";
  std::string teacher = "thrifty";
  double slack = 0.5;
  std::uint32_t weeks = 0;  ///< episodes for training are put off by up to so many, by chance
  std::uint32_t episode = 1024;
  std::uint32_t episodes = 64;
  std::uint32_t validation = 8;
  double held_out = 0.2;
  bool shown = true;  ///< progress
  GeoTrainingSettings settings{};
};

/// Trains, and writes weights and the curve.
Result<Done> train_geo(GeoTrainRequest request);

}  // namespace penstock
