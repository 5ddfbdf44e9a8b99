#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock::agent {

/// How the clock of a GPU is kept down.
enum class ClockMethod { clock, power, command };

/// "clock", "power" or "command".
std::string_view name_of(ClockMethod method);
std::optional<ClockMethod> parse_method(std::string_view name);

/// A GPU that may not be as it came.
struct ChangedGpu {
  unsigned index = 0;
  ClockMethod method = ClockMethod::clock;
  std::optional<unsigned> clock_mhz{};  ///< what it was set for
  std::optional<Watts> limit_before{};  ///< of Way::power: what to go back to

  bool operator==(const ChangedGpu&) const = default;
};

/// Which GPUs have been changed, in a file that outlives us. A line is on disk before the change,
/// and goes after it is undone: whoever comes next can undo what we could not.
class ChangeRecord {
 public:
  /// No file is an empty record. A file that cannot be understood is an error.
  static Result<ChangeRecord> open(const std::string& path);
  /// In place of a record that cannot be understood: as if all of these had been changed.
  static ChangeRecord suspect(const std::string& path, std::vector<ChangedGpu> all);

  const std::vector<ChangedGpu>& changed() const { return touched_; }
  /// In place of what is written of the same GPU and way. Not remembered unless it is on disk.
  Result<Done> add(const ChangedGpu& changed);
  Result<Done> remove(unsigned index, ClockMethod method);

 private:
  explicit ChangeRecord(std::string path) : path_(std::move(path)) {}
  Result<Done> write(const std::vector<ChangedGpu>& changed) const;

  std::string path_;
  std::vector<ChangedGpu> touched_;
};

/// Makes us the only agent with this record, for as long as we or a child of ours keeps the
/// descriptor. Waits a while for one that is ending; makes the folder where it is absent.
Result<Descriptor> acquire_agent_lock(const std::string& record, Duration patience);

}  // namespace penstock::agent
