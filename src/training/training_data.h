#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/scenario/scenario.h"
#include "learn/geo/geo_trainer.h"
#include "learn/mars/history.h"
#include "learn/mars/trainer.h"
#include "learn/queue/episodes.h"

namespace penstock {

/// What episodes of one queue are drawn from, and how.
struct QueueDataRequest {
  std::filesystem::path scenario{};
  std::vector<std::string> overrides{};
  EpisodeOptions episodes{};
  std::uint32_t validation = 32;  ///< episodes
  double held_out = 0.2;          ///< the last part of the jobs, for validation alone
  PlayRules rules{};              ///< all but the machine
  Weighing weighing = Weighing::by_cost;
  double per_gpu_hour = 0;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
};

/// Episodes of one queue, and what they were drawn from.
struct PreparedQueueData {
  std::string scenario{};  ///< its name
  std::string hash{};
  Machine machine{};
  std::size_t tasks = 0;  ///< that episodes are drawn from
  PastJobs past{};        ///< some of them
  QueueTrainingData data{};
  std::vector<std::string> remarks{};
};

/// Reads a scenario, takes its largest pool of like GPUs as the machine, and draws episodes.
Result<PreparedQueueData> prepare_queue_data(const QueueDataRequest& request);

/// What episodes over several sites are drawn from, and how.
struct GeoDataRequest {
  std::filesystem::path scenario{};
  std::vector<std::string> overrides{};
  std::vector<std::string> validation_overrides{};  ///< none: the last jobs are held out
  std::string site = "fifo:backfill=easy";
  double slack = 0.5;
  std::uint32_t weeks = 0;  ///< training episodes are delayed by up to so many at random
  std::uint32_t episode = 1024;
  std::uint32_t episodes = 64;
  std::uint32_t validation = 8;
  double held_out = 0.2;
  std::uint64_t seed = 1;
};

/// Episodes over several sites, and what they were drawn from.
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
