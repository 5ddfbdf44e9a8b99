#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock::agent {

/// How the clock of a GPU is limited.
enum class ClockMethod { clock, power, command };

/// "clock", "power" or "command".
std::string_view name_of(ClockMethod method);
std::optional<ClockMethod> parse_method(std::string_view name);

/// A GPU whose settings were changed, or may have been.
struct ChangedGpu {
  unsigned index = 0;
  ClockMethod method = ClockMethod::clock;
  std::optional<unsigned> clock_mhz{};  ///< what it was set for
  std::optional<Watts> limit_before{};  ///< of ClockMethod::power: the limit to restore

  bool operator==(const ChangedGpu&) const = default;
};

/// Lists the changed GPUs in a file that outlives the process. A line is on disk before its change
/// is made, and is removed after the change is undone, so that the next agent can undo what this
/// one could not.
class ChangeRecord {
 public:
  /// An absent file is an empty record; a file that cannot be parsed is an error.
  static Result<ChangeRecord> open(const std::string& path);
  /// Replaces a record that cannot be parsed: takes all of these GPUs to be changed.
  static ChangeRecord assume_changed(const std::string& path, std::vector<ChangedGpu> all);

  const std::vector<ChangedGpu>& changed() const { return changed_; }
  /// Replaces the line of the same GPU and method. Changes nothing if the file cannot be written.
  Result<Done> add(const ChangedGpu& changed);
  Result<Done> remove(unsigned index, ClockMethod method);

 private:
  explicit ChangeRecord(std::string path) : path_(std::move(path)) {}
  Result<Done> write(const std::vector<ChangedGpu>& changed) const;

  std::string path_;
  std::vector<ChangedGpu> changed_;
};

/// Locks a record, so that no other agent uses it while this process or a child keeps the
/// descriptor open. Waits up to `timeout` for an agent that is ending; creates the folder if it is
/// absent.
Result<Descriptor> acquire_agent_lock(const std::string& record, Duration timeout);

}  // namespace penstock::agent
