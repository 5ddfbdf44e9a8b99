#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "io/traces/andreas_table.h"
#include "io/traces/trace.h"

namespace penstock {

/// How jobs drawn from a table arrive.
enum class AndreasArrivals : std::uint8_t {
  high,         ///< each after a gap that its own time sets, so that the cluster is busy
  low,          ///< as `high`, with gaps four times as long
  mixed,        ///< ten jobs high, ten jobs low, and so on
  exponential,  ///< exponential gaps
  poisson,      ///< a Poisson number of them in each period, anywhere in it
  by_load,      ///< exponential gaps by the load that they make; ours
};

/// Which published constants of gaps, deadlines and weights are used.
enum class AndreasRates : std::uint8_t { server, cloud };

/// Everything that jobs are drawn by; unless said otherwise, as the authors of ANDREAS draw them.
struct AndreasSpec {
  AndreasTable table{};
  AndreasArrivals arrivals = AndreasArrivals::high;
  AndreasRates rates = AndreasRates::server;
  std::uint64_t jobs_per_node = 10;              ///< and one more, at the beginning
  Duration mean = std::chrono::seconds(30'000);  ///< by the nodes: of exponential and poisson gaps
  std::pair<double, double> weights{};           ///< of tardiness, money per second
  double load = 0.8;      ///< of by_load: work that comes, as a part of what busy_time() allows
  double size_sigma = 0;  ///< of a log-normal factor of epochs with mean 1; ours
  /// The time from submission to deadline, in times of the fastest way; by `rates` if absent; ours.
  std::optional<std::pair<double, double>> deadline_slack{};
  /// Where epochs are drawn: how many of the stated ones are needed, and which of these a kind of
  /// the table belongs to. A job's `epochs` is its place here.
  std::vector<EpochFamily> families{};
  std::vector<std::size_t> family{};
};

/// The range of weights that goes with the constants.
std::pair<double, double> usual_weights(AndreasRates rates);

/// The seconds between a job and the one before it by high, low or mixed arrivals; `single` is the
/// time of the job on one GPU, `index` counts from the job after the first.
double regular_gap(const AndreasSpec& spec, const Cluster& cluster, double single,
                   std::uint64_t index);

/// The seconds for which an epoch of a kind keeps all GPUs busy that can run it, each type in the
/// way that takes least GPU time.
double busy_time(const AndreasFit& fit, const Cluster& cluster);

/// 1 … 5, by the fifth of the range in which a weight lies.
double priority_of(double weight, const std::pair<double, double>& range);

/// Draws jobs for a cluster, at least one of whose types can run one of them, by `options.seed`.
/// Their order does not depend on the arrivals, and no draw on another.
Result<Trace> draw_andreas(const AndreasSpec& spec, const Cluster& cluster,
                           const TraceOptions& options);

}  // namespace penstock
