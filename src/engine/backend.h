#pragma once

#include <optional>
#include <vector>

#include "model/event.h"
#include "model/state.h"

namespace penstock {

/// All that happened at one instant.
struct Batch {
  Time now{};
  std::vector<Event> events{};
  std::vector<Job> submitted{};  ///< one for each JobSubmitted, in their order
  bool new_signals = false;      ///< those of the setting were replaced: they hold from now on
};

/// The true speed and draw of a running job.
struct Pace {
  Speed speed{};
  Watts draw{};  ///< of all its GPUs
};

/// The world in which the scheduler works: a simulated one jumps to its next event, a live one
/// waits for it.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Fills `batch` with what happened next, or with nothing at `until` if that is
  /// sooner. False once the world has ended.
  virtual bool wait(std::optional<Time> until, Batch& batch) = 0;

  /// Carries out an action that `state` already shows as done, but for Route: of that it shows
  /// where the job still is.
  virtual void execute(const Action& action, const State& state) = 0;

  /// The true speed and draw of a running job, with its present GPUs, clock and batch size.
  virtual Pace pace(const JobState& job) const = 0;
};

}  // namespace penstock
