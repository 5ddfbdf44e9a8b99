#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/job.h"
#include "model/placement.h"

namespace penstock {

// Actions: from the scheduler to the world.
/// How the GPUs of a job run. An absent clock is the highest one, an absent batch the one that was
/// asked for.
struct Knobs {
  std::optional<std::uint32_t> clock_mhz{};
  std::optional<double> batch{};  ///< over all GPUs together
  friend bool operator==(const Knobs&, const Knobs&) = default;
};
struct Start {
  JobId job{};
  Placement where{};
  Knobs knobs{};
};
/// The job checkpoints and goes on with another number of GPUs; no work is lost.
struct Resize {
  JobId job{};
  Placement where{};  ///< may share GPUs with its present place
  Knobs knobs{};
};
/// The job checkpoints and goes on as before on other GPUs.
struct Migrate {
  JobId job{};
  Placement where{};
};
/// At once, without a restart.
struct SetClock {
  JobId job{};
  std::uint32_t clock_mhz = 0;
};
/// At once, without a restart.
struct SetBatch {
  JobId job{};
  double batch = 0;
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
/// A queued job's files, and its checkpoint if it has run, go to another site. It cannot start
/// until they are there.
struct Route {
  JobId job{};
  SiteId to{};
};
using Action =
    std::variant<Start, Preempt, Resize, Migrate, SetClock, SetBatch, Sleep, Wake, Route>;

/// The job that an action is about; nothing if it is about a node.
inline std::optional<JobId> job_in(const Action& action) {
  return std::visit(
      [](const auto& a) -> std::optional<JobId> {
        if constexpr (requires { a.job; })
          return a.job;
        else
          return std::nullopt;
      },
      action);
}

// Events: from the world to the scheduler.
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
  Work kept{};  ///< of the work of this run, what a checkpoint saved
};
struct NodeFailed {
  NodeId node{};
};
struct NodeRepaired {
  NodeId node{};
};
/// The files of a job that was routed are there: it is back in the queue.
struct JobArrived {
  JobId job{};
};
/// A queued job is gone: its user cancelled it, or it was sent to another site.
struct JobWithdrawn {
  JobId job{};
};
/// A queued job runs that the policy has not started: it was found running, or was started by
/// others. In the same batch only its submission may come before this, and only its end after.
struct JobStarted {
  JobId job{};
  Placement where{};
  Knobs knobs{};
  Time since{};  ///< when it really began
  Work done{};   ///< of its work, by now
};
/// A measurement of a job that runs or waits. No action is needed.
struct JobMeasured {
  /// Its progress; it continues from there if it runs.
  struct Progress {
    Work done{};   ///< of its work
    Time since{};  ///< when that was; later than now while it reads its checkpoint
  };
  JobId job{};
  std::optional<Progress> progress{};
  /// The mean draw of all its GPUs together since it was last billed: since the last such event,
  /// its start, or a change of its clock. Only of a running job.
  std::optional<Watts> drew{};
};
/// An action of the last decision was not carried out: the job is as the state shows. Precedes all
/// other events.
struct Refused {
  Action action{};
};
using Event =
    std::variant<JobSubmitted, JobReady, JobFinished, JobInterrupted, NodeFailed, NodeRepaired,
                 JobArrived, JobWithdrawn, JobStarted, JobMeasured, Refused>;

/// Why an action is taken on a job, or why it keeps waiting. Other jobs are named by job_label().
struct JobReason {
  JobId job{};
  std::string text{};  ///< a short clause with numbers that can be checked
};

struct Decision {
  std::vector<Action> actions{};
  std::optional<Time> ask_again{};   ///< even if nothing happens until then
  std::string reason{};              ///< for people; may be empty
  std::vector<JobReason> because{};  ///< reasons for single jobs; empty if they are not read
};

}  // namespace penstock
