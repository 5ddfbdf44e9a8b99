#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "io/traces/lublin.h"
#include "io/traces/trace.h"

namespace penstock {

/// How the time between two submissions is drawn.
enum class Arrivals : std::uint8_t {
  poisson,  ///< exponential gaps
  diurnal,  ///< Poisson whose rate swings over the day, highest at 15:00 UTC
  uniform,  ///< gaps between nothing and twice the mean
};
/// "poisson", "exponential" (the same process), "diurnal" or "uniform".
Result<Arrivals> parse_arrivals(std::string_view name);

struct LogNormalDurations {
  Duration median = std::chrono::minutes(20);
  double sigma = 1.5;  ///< of the logarithm
};

/// A trace's own run times: its jobs, shortest first, in bins of equal size, and
/// the mean of each bin. So the mean of what is drawn is that of the trace.
struct FittedDurations {
  std::vector<Duration> bins{};
};
FittedDurations fit_durations(const Trace& trace);

/// The share of jobs that ask for `gpus`; weights need not sum to one.
struct SizeWeight {
  std::uint32_t gpus = 1;
  double weight = 1;
};

/// Everything a generated trace is made of.
struct GeneratorSpec {
  std::uint64_t jobs = 1000;
  std::uint64_t skip = 0;  ///< so many are drawn before and not given
  std::uint64_t seed = 0;
  Time start{};
  Arrivals arrivals = Arrivals::poisson;
  Duration mean_gap = std::chrono::minutes(1);
  double swing = 0.8;  ///< of diurnal arrivals: the rate goes from 1 - swing to 1 + swing
  std::variant<LogNormalDurations, FittedDurations> durations{};
  /// ElasticFlow's mix (Gu et al., ASPLOS'23).
  std::vector<SizeWeight> sizes{{1, .83}, {2, .03}, {4, .03}, {8, .10}, {16, .01}};
  /// Deadlines at submission + run time · U[first, second]; none if absent.
  std::optional<std::pair<double, double>> deadline_slack{};
  double tardiness_per_s = 0;  ///< money for each second past the deadline
  /// Arrivals, run times and sizes by that model instead of the above, for a machine of so many
  /// processors; gaps are stretched so that their mean is `mean_gap`.
  std::optional<std::uint32_t> lublin_machine{};
  double request_factor = 1;  ///< requests are run time · U[1, request_factor]
};

/// All that is wrong with a specification, a line each.
Result<Done> check(const GeneratorSpec& spec);

/// Draws one job after the other; holds none. The specification must be valid.
class GeneratedSource final : public JobSource {
 public:
  explicit GeneratedSource(GeneratorSpec spec);
  std::optional<TracedJob> next() override;

 private:
  void advance();  ///< to the next submission
  TracedJob draw();
  Duration draw_duration(std::uint32_t gpus);
  std::uint32_t draw_size();

  GeneratorSpec spec_;
  std::optional<LublinModel> lublin_;
  double stretch_ = 1;  ///< of that model's gaps
  double weights_ = 0;
  std::uint64_t made_ = 0;
  double elapsed_ = 0;  ///< milliseconds since the start, with their fraction
  Rng gaps_;
  Rng lengths_;
  Rng sizes_;
  Rng slacks_;
  Rng requests_;
};

/// The whole of a generated trace at once, for short ones.
Trace generate(const GeneratorSpec& spec);

}  // namespace penstock
