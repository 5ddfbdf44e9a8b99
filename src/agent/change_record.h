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
enum class Way { clock, power, command };

/// "clock", "power" or "command".
std::string_view name_of(Way way);
std::optional<Way> parse_way(std::string_view name);

/// A GPU that may not be as it came.
struct Touched {
  unsigned index = 0;
  Way way = Way::clock;
  std::optional<unsigned> clock_mhz{};  ///< what it was set for
  std::optional<Watts> limit_before{};  ///< of Way::power: what to go back to

  bool operator==(const Touched&) const = default;
};

/// Which GPUs have been changed, in a file that outlives us. A line is on disk before the change,
/// and goes after it is undone: whoever comes next can undo what we could not.
class Record {
 public:
  /// No file is an empty record. A file that cannot be understood is an error.
  static Result<Record> open(const std::string& path);
  /// In place of a record that cannot be understood: as if all of these had been changed.
  static Record suspect(const std::string& path, std::vector<Touched> all);

  const std::vector<Touched>& touched() const { return touched_; }
  /// In place of what is written of the same GPU and way. Not remembered unless it is on disk.
  Result<Done> add(const Touched& touched);
  Result<Done> remove(unsigned index, Way way);

 private:
  explicit Record(std::string path) : path_(std::move(path)) {}
  Result<Done> write(const std::vector<Touched>& touched) const;

  std::string path_;
  std::vector<Touched> touched_;
};

/// Makes us the only agent with this record, for as long as we or a child of ours keeps the
/// descriptor. Waits a while for one that is ending; makes the folder where it is absent.
Result<Descriptor> be_sole(const std::string& record, Duration patience);

}  // namespace penstock::agent
