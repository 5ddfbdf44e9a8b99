#pragma once

#include "app/train_geo_grounds.h"
#include "app/train_loop.h"

namespace penstock {

/// What `penstock train` is asked for agents that choose sites.
struct GeoTrainRequest {
  GeoDataRequest data{};
  TrainFiles files{};
  std::string teacher = "thrifty";
  GeoTrainingSettings settings{};
};

/// Trains, and writes weights and the curve.
Result<Done> train_geo(GeoTrainRequest request);

}  // namespace penstock
