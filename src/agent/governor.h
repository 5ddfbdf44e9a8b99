#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/change_record.h"
#include "agent/nvml.h"
#include "agent/plan.h"
#include "base/result.h"
#include "base/time.h"

namespace penstock::agent {

struct GovernorOptions {
  ClockMethod method = ClockMethod::clock;
  /// Run as COMMAND INDEX MHZ, or COMMAND INDEX reset: by ClockMethod::command, and instead of the
  /// other methods where NVIDIA's library refuses them. Empty: there is no command.
  std::vector<std::string> command{};
  Duration command_timeout = std::chrono::seconds(5);
  std::function<void()> heartbeat = [] {
  };  ///< called between GPUs, to show that the worker does not hang
};

/// The clock that is set on a GPU.
struct AppliedClock {
  unsigned index = 0;
  std::optional<unsigned> clock_mhz{};
};

/// Sets the GPUs of this node as a plan says, and resets those that it does not name. Problems
/// begin with "GPU 3: ". What failed is tried again at the next call.
class Governor {
 public:
  Governor(const Nvml& nvml, ChangeRecord record, GovernorOptions options)
      : nvml_(nvml), record_(std::move(record)), options_(std::move(options)) {}

  std::vector<std::string> follow(const ClockPlan& plan);
  /// Undoes every change in the record.
  std::vector<std::string> reset_all();
  bool is_clean() const { return record_.changed().empty(); }

  std::vector<AppliedClock> applied() const;
  /// A problem where a GPU runs faster than it was set to.
  std::vector<std::string> clock_problems(unsigned index, const Reading& reading) const;

 private:
  struct Setting {
    PlannedGpu requested{};
    std::optional<unsigned> clock_mhz{};  ///< what was really set
    bool caps_clock = false;
  };

  void set(const PlannedGpu& planned);
  std::optional<NvmlFailure> set_by(ClockMethod method, const PlannedGpu& planned);
  std::optional<NvmlFailure> lock(const PlannedGpu& planned, unsigned mhz);
  std::optional<NvmlFailure> limit(const PlannedGpu& planned, unsigned mhz);
  std::optional<NvmlFailure> command(const PlannedGpu& planned, unsigned mhz);
  Fitted<unsigned> wanted_clock(const PlannedGpu& planned) const;
  void undo(const ChangedGpu& changed);
  std::optional<NvmlFailure> undo_by(const ChangedGpu& changed);
  std::optional<NvmlFailure> run(unsigned index, const std::string& word);
  bool is_changed(unsigned index, ClockMethod method) const;
  void add_problem(unsigned index, const std::string& what);

  const Nvml& nvml_;
  ChangeRecord record_;
  GovernorOptions options_;
  std::map<unsigned, Setting> settings_;
  std::set<unsigned> by_command_;  ///< GPUs that NVIDIA's library does not let us change
  std::vector<std::string> problems_;
};

/// Runs a program without a shell and waits for it. Fails where it cannot be started, ends with
/// another code than 0, or takes longer than `timeout`; then it is killed.
Result<Done> run_command(const std::vector<std::string>& words, Duration timeout);

/// "sudo -n /usr/local/sbin/set-clock" as three words, separated by blanks; there are no quotes.
std::vector<std::string> split_words(const std::string& text);

}  // namespace penstock::agent
