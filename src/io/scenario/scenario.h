#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/traces/andreas_draw.h"
#include "io/traces/generate.h"
#include "io/traces/origins.h"
#include "io/traces/trace.h"
#include "io/traces/workflows.h"
#include "model/cluster.h"
#include "model/costs.h"
#include "model/forecast.h"
#include "model/profile.h"
#include "model/site_signals.h"

namespace penstock {

/// Where the jobs come from: a trace, the generator or a stream of workflows, exactly one of them.
struct WorkloadSpec {
  std::optional<std::filesystem::path> trace{};
  std::string format{};
  TraceOptions options{};
  std::optional<GeneratorSpec> generate{};
  std::optional<WorkflowStreamSpec> workflows{};
  OverRequest over_request = OverRequest::kill;
  std::vector<Profile> profiles{};  ///< how jobs scale; without any they run rigid
  std::optional<AndreasSpec>
      andreas{};                 ///< how jobs are drawn from the trace; also gave `profiles`
  double truth_spread = 0;       ///< how far the truth is from the profiles, as a log deviation
  double job_spread = 0;         ///< how far each job's work is from what its user says, likewise
  double instrument_spread = 0;  ///< how far measurements in a run are from the truth, likewise
  bool refit = false;            ///< beliefs are refitted to what is measured
  bool guessed = false;          ///< beliefs begin with guesses, not with the profiles
  std::optional<OriginSpec> origins{};  ///< where jobs come from; nothing if they have no home
  bool drop_oversized = false;  ///< leave out jobs that fit no site; otherwise they are an error

  /// Whether jobs are drawn from the trace. It then also says how they scale.
  bool draws_jobs() const {
    const TraceFormat* known = find_trace_format(format);
    return known != nullptr && known->draws_jobs;
  }
};

/// A policy by name. Names and options are checked where policies are known.
struct PolicyChoice {
  std::string name{};
  std::map<std::string, std::string, std::less<>> options{};
};

/// Checks that a policy with these options exists; the error says what is possible.
using PolicyCheck = std::function<Result<Done>(const PolicyChoice&)>;

/// One key of `[sweep]` and the values it takes.
struct SweepAxis {
  std::string key{};
  std::vector<std::string> values{};
};

/// The time that a file about a site covers.
struct SignalSpan {
  std::string where{};  ///< "demo.toml:12: site.price"
  std::string file{};
  Time from{};
  std::optional<Time> until{};  ///< nothing if it holds or repeats for ever
};

/// A whole scenario, valid: files of signals are read, the trace is not yet.
struct Scenario {
  std::string name{};
  std::uint64_t seed = 0;
  std::string hash{};  ///< of its text and overrides
  WorkloadSpec workload{};
  Cluster cluster{};
  std::vector<SiteSignals> signals{};      ///< indexed by SiteId
  std::vector<SiteForecasts> forecasts{};  ///< indexed by SiteId
  std::vector<SignalSpan> spans{};
  Costs costs{};
  std::optional<Failures> failures{};
  std::vector<Outage> outages{};
  Duration outage_checkpoint{};          ///< without random failures: what an outage may lose
  std::string currency{};                ///< "EUR"; empty if nothing costs money
  double carbon_price = 0;               ///< money per gram of CO2
  UtilityWeights utility{};              ///< weights of the utility over sites
  std::vector<PolicyChoice> policies{};  ///< in their order; empty if none is named
  std::vector<SweepAxis> sweep{};
  std::vector<std::string> notes{};  ///< what the user should know: filled holes, missing prices
};

/// Reads a scenario with overrides as of `--set key.path=value`. Every problem is
/// one line of the error, those that `check` finds included.
Result<Scenario> read_scenario(const std::filesystem::path& path,
                               std::span<const std::string> overrides = {},
                               const PolicyCheck& check = {});

/// Reads a scenario from text. `file` is what messages call it; paths in it begin at `dir`.
Result<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                const std::filesystem::path& dir,
                                std::span<const std::string> overrides = {},
                                const PolicyCheck& check = {});

/// The overrides of each run that `[sweep]` asks for: the cartesian product, the
/// last key varying fastest. One empty list if there is no sweep.
std::vector<std::vector<std::string>> sweep_overrides(const Scenario& scenario);

/// Checks that all signals cover the time in which jobs are submitted.
Result<Done> check_coverage(const Scenario& scenario, Time first, Time last);

}  // namespace penstock
