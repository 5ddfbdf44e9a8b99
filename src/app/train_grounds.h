#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/scenario/scenario.h"
#include "learn/mars/history.h"
#include "learn/mars/trainer.h"
#include "learn/queue/episodes.h"

namespace penstock {

struct QueueDataRequest {
  std::filesystem::path scenario{};
  std::vector<std::string> overrides{};
  EpisodeOptions episodes{};
  std::uint32_t validation = 32;  ///< episodes to judge by
  double held_out = 0.2;          ///< the last part of the jobs, for validation alone
  PlayRules rules{};              ///< all but the machine
  Weighing weighing = Weighing::by_cost;
  double per_gpu_hour = 0;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
};

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

}  // namespace penstock
