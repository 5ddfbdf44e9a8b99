#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "experiment/progress.h"
#include "training/training_data.h"
#include "training/training_report.h"

namespace penstock {

/// Where a training writes to, and how often.
struct TrainingFiles {
  std::string out{};   ///< weights; empty: nothing is written
  std::string csv{};   ///< the curve; empty: OUT.csv
  std::string plot{};  ///< its picture; empty: OUT.svg
  std::uint32_t checkpoint_every = 10;
  bool resume = false;  ///< go on from the checkpoint

  std::string checkpoint() const { return out + ".checkpoint"; }
  std::string csv_path() const { return csv.empty() ? out + ".csv" : csv; }
  std::string plot_path() const { return plot.empty() ? out + ".svg" : plot; }
};

/// The callbacks of a training; each may be absent.
struct TrainingCallbacks {
  NoteCallback note{};     ///< what the user should know of the scenario
  NoteCallback started{};  ///< one line on what is trained on
  std::function<void(const TrainingReport&)> progress{};  ///< after every update
};

/// What a training made.
struct TrainingResult {
  std::string weights{};  ///< the bytes of the weights file
  TrainingReport report{};
  std::string table{};  ///< what networks and baselines reach in validation, for people
};

/// A policy whose networks order a queue and can be trained.
struct TrainedPolicy {
  std::string_view name;
  std::string_view networks;  ///< that it has, for help
  std::span<const std::string_view> usual_teachers;
  bool one_network = false;  ///< so it learns from one teacher at most
};
std::span<const TrainedPolicy> trained_policies();

/// A training of networks that order a queue.
struct QueueTrainingRequest {
  QueueDataRequest data{.rules = {.queue = {.backfill = Backfill::easy}}};
  QueueTrainingSettings settings{};
  TrainingFiles files{};
  std::string policy = "mars";          ///< one of trained_policies()
  std::vector<std::string> teachers{};  ///< none: the usual ones of the policy
};

/// Trains networks of the policies rl and mars, and writes the files that the request names.
/// Checkpoints are written all or nothing; if a step fails, the checkpoint holds the state before
/// it.
Result<TrainingResult> train_queue(QueueTrainingRequest request,
                                   const TrainingCallbacks& callbacks = {});

/// A training of agents that choose sites.
struct GeoTrainingRequest {
  GeoDataRequest data{};
  TrainingFiles files{};
  std::string teacher = "thrifty";  ///< one of geo_teachers()
  GeoTrainingSettings settings{};
};

/// Trains the agents of a router as train_queue() does networks for a queue.
Result<TrainingResult> train_geo(GeoTrainingRequest request,
                                 const TrainingCallbacks& callbacks = {});

}  // namespace penstock
