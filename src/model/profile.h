#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

namespace penstock {

/// How long one training iteration takes, in seconds: the form of Pollux (Qiao et al.,
/// OSDI'21), extended by a clock. `delta` is the part of computing that a slower clock
/// does not slow down (memory); `gamma` says how far computing and communicating overlap.
struct SpeedModel {
  double alpha_c = 0;  ///< computing: fixed part
  double beta_c = 0;   ///< computing: per sample of the local batch
  double alpha_r = 0;  ///< communicating inside a node, 2 GPUs
  double beta_r = 0;   ///< communicating inside a node: each further GPU
  double alpha_n = 0;  ///< communicating between nodes, 2 GPUs
  double beta_n = 0;   ///< communicating between nodes: each further GPU
  double gamma = 1;    ///< 1: one after the other … 10: almost wholly at once
  double delta = 0;    ///< 0: all of it follows the clock … 1: nothing does
  friend bool operator==(const SpeedModel&, const SpeedModel&) = default;
};

/// What one GPU draws, by its clock relative to the highest: p0 + p1·φ + p3·φ³ while
/// computing, p0 + p1_sync·φ while it only communicates.
struct PowerModel {
  Watts p0{};
  Watts p1{};
  Watts p3{};
  Watts p1_sync{};
  friend bool operator==(const PowerModel&, const PowerModel&) = default;
};

/// How much a sample contributes to a training: with a batch `b` the work of one sample counts
/// (scale + base) / (scale + b) of what it counts with the batch `base` (McCandlish et al. 2018, as
/// used by Pollux). No scale: every sample counts the same.
struct NoiseModel {
  double base = 1;
  std::optional<double> scale{};
  friend bool operator==(const NoiseModel&, const NoiseModel&) = default;
};

/// Batch sizes over all GPUs together. Between `least` and `most` one may be chosen, where it is
/// known what a sample then counts (adapts_batch); elsewhere a job keeps the one it asked for.
struct BatchRange {
  double least = 1;
  double most = 1;
  double local_most = 1;  ///< what fits into the memory of one GPU
  /// Whether a GPU whose share of the batch does not fit into its memory computes it in several
  /// parts, one after the other, before it communicates. If not, the job does not run so.
  bool accumulates = true;
  friend bool operator==(const BatchRange&, const BatchRange&) = default;
};

/// One iteration of a pipeline over several GPUs.
struct FrontPoint {
  double seconds = 0;
  double joules = 0;  ///< of all its GPUs
  friend bool operator==(const FrontPoint&, const FrontPoint&) = default;
};

/// How one kind of training behaves on one GPU type: by a formula, by a table of what was
/// measured, or by a front of time and energy.
struct Profile {
  std::string name{};                  ///< what traces call it
  std::vector<std::string> aliases{};  ///< other names in traces
  std::string gpu{};                   ///< the GPU type
  SpeedModel speed{};
  /// Seconds for an epoch on 1, 2, … GPUs of one node; 0 where it cannot run so. Where there
  /// are any they stand for `speed`: work is epochs, and batch and clock change nothing.
  std::vector<double> epoch_seconds{};
  /// The least energy of an iteration for the time that it takes, where each GPU has a plan of
  /// clocks of its own: by rising time and falling energy. Where there are any points they stand
  /// for `speed`: work is iterations, it runs on `gpus_most` GPUs alone, and the clock of the job
  /// is its speed relative to the quickest point (front_at). GPUs that wait draw `power.p0`.
  std::vector<FrontPoint> front{};
  PowerModel power{};
  NoiseModel noise{};
  BatchRange batch{};
  double batch_usual = 1;        ///< on each GPU, for jobs whose trace names none
  std::uint32_t gpus_least = 1;  ///< fewer are not wanted
  std::uint32_t gpus_most = 1;   ///< more were never measured
  double memory_gib = 0;         ///< that it needs on each GPU; 0 if unknown
  std::string source{};

  bool is_table() const { return !epoch_seconds.empty(); }
  bool is_front() const { return !front.empty(); }
};

/// A way of running a job.
struct Config {
  std::uint32_t gpus = 1;
  std::uint32_t nodes = 1;  ///< over which the GPUs are spread
  double batch = 1;         ///< over all GPUs together
  double clock = 1;         ///< relative to the highest, in (0, 1]
  /// In how many parts each GPU computes its share of the batch (gradient accumulation), a whole
  /// number. Functions that are given a profile set it by in_parts().
  double parts = 1;
};

/// The same way of running, with as many parts as memory makes necessary.
Config in_parts(const Profile& profile, Config config);

/// Seconds that one iteration computes, communicates and takes in all. Each part takes the fixed
/// time of computing anew; GPUs communicate once, at the end, and that overlaps with the last part
/// alone.
struct IterationTime {
  double compute = 0;
  double sync = 0;
  double total = 0;
};
IterationTime iteration_time(const SpeedModel& model, const Config& config);

/// How much slower computing is at a clock than at the highest: δ + (1 - δ) / φ.
double clock_slowdown(double delta, double clock);
/// What one GPU draws while it computes.
Watts computing_draw(const PowerModel& power, double clock);

/// How much a sample counts, compared with one of a batch of `model.base`.
double efficiency(const NoiseModel& model, double batch);

/// An iteration at a clock: it takes 1 / clock times as long as at the quickest point of the front,
/// and the energy between two points is on the line between them. Slower than the slowest point all
/// GPUs wait for the rest of the time.
FrontPoint front_at(const Profile& profile, double clock);

/// Work per second: samples, each counted by its efficiency, epochs of a table, or iterations of a
/// front. Always more than nothing: for a way that no table holds it is the entry for as many GPUs
/// as there are on each node, else the next smaller one that it has, else its first; and each GPU
/// of a number that a front does not hold does what one of those that it holds does.
double throughput(const Profile& profile, const Config& config);

/// What all GPUs of the job draw together, on average over an iteration. By a table they
/// compute all the time, at the highest clock.
Watts draw(const Profile& profile, const Config& config);

/// Whether a job can run so: GPUs within the profile's range, at least one sample for each, and no
/// more than fit into its memory unless gradients are accumulated; by a table, what it holds, on
/// one node; by a front, its number of GPUs on any nodes. Whether a job may have that batch is
/// answered by may_have_batch().
bool runs(const Profile& profile, const Config& config);

/// Whether other batches than the one a job asked for are possible: only where it was measured how
/// much a sample then counts.
bool adapts_batch(const Profile& profile);

/// Whether a job that asked for a batch may run with this one.
bool may_have_batch(const Profile& profile, double batch, double asked);

/// The batch that a job asks for with so many GPUs: the one it names or, if that is 0, what is
/// usual on each of them. Where the batch may be chosen it is one in range, and it fits into memory
/// unless gradients are accumulated; but there is at least one sample for each GPU.
double asked_batch(const Profile& profile, double named, std::uint32_t gpus);

/// A table of epochs in `seconds` for these numbers of GPUs; at least one, all positive.
Profile table_profile(std::string name, std::string gpu,
                      const std::vector<std::pair<std::uint32_t, double>>& seconds);

}  // namespace penstock
