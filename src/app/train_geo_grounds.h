#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/geo/geo_trainer.h"

namespace penstock {

struct GeoDataRequest {
  std::filesystem::path scenario{};
  std::vector<std::string> overrides{};
  std::vector<std::string> validation_overrides{};  ///< none: the last jobs are held out
  std::string site = "fifo:backfill=easy";
  double slack = 0.5;
  std::uint32_t weeks = 0;  ///< episodes for training are put off by up to so many, by chance
  std::uint32_t episode = 1024;
  std::uint32_t episodes = 64;
  std::uint32_t validation = 8;
  double held_out = 0.2;
  std::uint64_t seed = 1;
};

struct PreparedGeoData {
  std::string scenario{};  ///< its name
  std::string hash{};
  std::size_t jobs = 0;  ///< that episodes for training are drawn from
  GeoTrainingData data{};
  std::vector<std::string> remarks{};
};

/// Reads a scenario of joined sites and draws episodes. What could not be simulated with a router
/// and that policy at each site is refused.
Result<PreparedGeoData> prepare_geo_data(const GeoDataRequest& request);

}  // namespace penstock
