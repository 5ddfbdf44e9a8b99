#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "model/profile.h"

namespace penstock {

/// How long one iteration took.
struct SpeedObservation {
  Config config{};
  double seconds = 0;
};

/// One GPU at a known clock: how long the same piece of computing took, and what it drew.
struct ClockObservation {
  double clock = 1;  ///< relative to the highest
  double seconds = 0;
  Watts draw{};
};

/// One GPU under a power limit, at an unrecorded clock.
struct LimitObservation {
  Watts limit{};
  double seconds = 0;
  Watts draw{};
};

/// How many samples a training with this batch needs to get as far as the others.
struct NoiseObservation {
  double batch = 1;
  double samples = 0;
};

/// Iteration times of one kind of training on one GPU type.
struct SpeedTable {
  std::string model{};
  std::string gpu{};
  std::string source{};        ///< who measured it
  bool batch_per_gpu = false;  ///< the batch of each GPU was chosen, not that of all together
  std::vector<SpeedObservation> points{};
};

/// Pieces of one training, each at many clocks.
struct ClockSweep {
  std::string model{};
  std::string gpu{};
  std::string source{};
  double highest_mhz = 0;
  std::vector<std::vector<ClockObservation>> series{};
};

/// One training under several power limits.
struct LimitSweep {
  std::string model{};
  std::string gpu{};
  std::string source{};
  double batch = 1;
  std::vector<LimitObservation> series{};
};

/// What an iteration of a pipeline takes, by the plan of clocks that its GPUs have.
struct PipelineFront {
  std::string model{};
  std::string gpu{};
  std::string source{};
  std::uint32_t gpus = 1;
  std::vector<FrontPoint> points{};  ///< by rising time; also such as a quicker one beats
};

/// What several batch sizes need for the same progress.
struct NoiseTable {
  std::string model{};
  std::string source{};
  std::vector<NoiseObservation> points{};  ///< by rising batch
};

/// Everything that was measured.
struct Measurements {
  std::vector<SpeedTable> speeds{};
  std::vector<ClockSweep> clocks{};
  std::vector<LimitSweep> limits{};
  std::vector<NoiseTable> noise{};
  std::vector<PipelineFront> fronts{};
};

/// Mean of |fitted / measured - 1|; negative where it was not measured.
struct ProfileErrors {
  double speed_in = -1;
  double speed_held_out = -1;
  double power_in = -1;
  double power_held_out = -1;
  double energy_held_out = -1;
};

/// A profile as it goes into a catalogue.
struct FittedProfile {
  Profile profile{};
  ProfileErrors errors{};
};

}  // namespace penstock
