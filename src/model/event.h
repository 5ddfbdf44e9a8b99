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

// What the scheduler tells the world.
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
/// A queued job is gone: its user took it back, or it was sent to another site.
struct JobWithdrawn {
  JobId job{};
};
/// A queued job runs that nobody here has started: it was found running, or somebody else started
/// it. Nothing but its submission is told of it in the same batch before this, and nothing but its
/// end after.
struct JobStarted {
  JobId job{};
  Placement where{};
  Knobs knobs{};
  Time since{};  ///< when it really began
  Work done{};   ///< of its work, by now
};
/// What was measured of a job that runs or waits, against what is believed of it. Nobody is asked
/// to do anything about it.
struct JobMeasured {
  /// How far it is. It gets on from there if it runs.
  struct Progress {
    Work done{};   ///< of its work
    Time since{};  ///< when that was; later than now while it reads its checkpoint
  };
  JobId job{};
  std::optional<Progress> progress{};
  /// What all its GPUs together drew on average since it was last billed: since this was told
  /// before, or it started, or its clock was set. Only of one that runs.
  std::optional<Watts> drew{};
};
/// What was decided last was not carried out: the job is as the state shows. Told before all else.
struct Refused {
  Action action{};
};
using Event =
    std::variant<JobSubmitted, JobReady, JobFinished, JobInterrupted, NodeFailed, NodeRepaired,
                 JobArrived, JobWithdrawn, JobStarted, JobMeasured, Refused>;

/// Why something is done with a job, or why it goes on waiting. Other jobs are named by
/// job_label().
struct JobReason {
  JobId job{};
  std::string text{};  ///< a short clause with numbers that can be checked
};

struct Decision {
  std::vector<Action> actions{};
  std::optional<Time> ask_again{};   ///< even if nothing happens until then
  std::string reason{};              ///< for people; empty if there is nothing to say
  std::vector<JobReason> because{};  ///< reasons for single jobs; empty if nobody reads them
};

}  // namespace penstock
