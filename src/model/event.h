#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/job.h"
#include "model/placement.h"

namespace penstock {

// What the world tells the scheduler.
struct JobSubmitted {
  JobId job{};
};
/// All parents of a job that had some have ended: it may start from now on.
struct JobReady {
  JobId job{};
};
struct JobFinished {
  JobId job{};
  Outcome outcome = Outcome::completed;
};
/// A running job lost a node and is back in the queue.
struct JobInterrupted {
  JobId job{};
  Duration kept{};  ///< of the work of this run, what a checkpoint saved
};
struct NodeFailed {
  NodeId node{};
};
struct NodeRepaired {
  NodeId node{};
};
using Event =
    std::variant<JobSubmitted, JobReady, JobFinished, JobInterrupted, NodeFailed, NodeRepaired>;

// What the scheduler tells the world.
struct Start {
  JobId job{};
  Placement where{};
};
/// The job checkpoints and goes back to the queue; no work is lost.
struct Preempt {
  JobId job{};
};
struct Sleep {
  NodeId node{};
};
struct Wake {
  NodeId node{};
};
using Action = std::variant<Start, Preempt, Sleep, Wake>;

struct Decision {
  std::vector<Action> actions{};
  std::optional<Time> ask_again{};  ///< even if nothing happens until then
};

}  // namespace penstock
