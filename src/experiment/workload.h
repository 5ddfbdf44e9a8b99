#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/scenario/scenario.h"
#include "model/models.h"
#include "sim/kinds.h"

namespace penstock {

/// The jobs of a scenario, fitted to its machines. Any number of runs can use it at the same time.
struct Workload {
  std::vector<TracedJob> jobs{};        ///< of a trace
  std::optional<GeneratorSpec> spec{};  ///< of the generator, which makes them anew for each run
  std::unique_ptr<Origins> origins{};   ///< of generated jobs; nothing if they have no home
  std::unique_ptr<Kinds> kinds{};       ///< how they scale; nothing if all run rigid
  std::vector<std::string> notes{};     ///< what the user should know
  Time start{};                         ///< the first submission
  std::uint64_t count = 0;

  /// The jobs once more from the first; the workload must outlive the source.
  std::unique_ptr<JobSource> source() const;
};

/// Reads a trace of any format, also the journal of a daemon.
Result<Trace> read_any_trace(const std::filesystem::path& path, std::string_view format,
                             const TraceOptions& options);

/// Reads or prepares a scenario's jobs, gives their GPU types the cluster's numbers
/// and refuses (or drops, if the scenario says so) those that fit no site.
Result<Workload> load_workload(const Scenario& scenario);

/// The learner that tells the policies of one run how jobs scale, as the scenario asks for it.
std::unique_ptr<Learner> make_learner(const Scenario& scenario, const Workload& workload);

}  // namespace penstock
