#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/reasons.h"
#include "live/site/site_state.h"
#include "live/site/slurm_poller.h"

namespace penstock {

/// The commands for one cluster. They wait here until they are taken, written into the journal and
/// dispatched; a job's PendingOp says what its last command shall achieve.
class CommandQueue {
 public:
  CommandQueue(SlurmSiteState& site, SlurmPoller& poller) : site_(site), poller_(poller) {}

  // Commands about jobs. Starts and stops set the job's pending operation.
  /// Starts the job where the scheduler believes it to run; a little later if it has just stopped.
  void start(TrackedJob& job, const Cause& cause);
  /// Requeues the job, after its grace period for a checkpoint if it has one.
  void stop(TrackedJob& job, const Cause& cause);
  void requeue(TrackedJob& job, const Cause& cause);
  void hold(TrackedJob& job, const Cause& cause);
  /// Releases the job with its original request to Slurm. `mark` becomes its admin comment.
  void release(TrackedJob& job, std::string_view mark, const Cause& cause);
  void cancel(TrackedJob& job, const Cause& cause, CommandReply then = {});
  void submit(bridge::SubmitJob job, const Cause& cause, CommandReply then);
  void power_down(NodeId node, const Cause& cause, CommandReply then);
  void power_up(NodeId node, const Cause& cause);

  std::vector<QueuedCommand> take() { return std::exchange(queued_, {}); }
  /// Sends a command that is in the journal, unless it was taken back meanwhile.
  void dispatch(QueuedCommand command);
  /// The command could not be written into the journal, so it is not sent.
  void drop(const QueuedCommand& command, Time now);
  /// Handles the bridge's answer, which is null if the bridge died before it answered. Returns the
  /// job whose start the cluster refused, if that start must be undone.
  TrackedJob* on_reply(const QueuedCommand& command, const nlohmann::json& body, Time now);

  /// The job's pending operation is over, and its request got this answer.
  void finish_op(TrackedJob& job, RequestState state, const std::string& text, Time now);

 private:
  QueuedCommand& add(const std::string& verb, bridge::Command command, const Cause& cause);
  QueuedCommand& add(TrackedJob& job, const std::string& verb, bridge::Command command,
                     const Cause& cause);
  bool must_settle(TrackedJob& job, Time now);
  void begin_start(TrackedJob& job, Time now);
  TrackedJob* waiting_for(const QueuedCommand& command);
  void close_request(TrackedJob& job, RequestState state, const std::string& text, Time now);
  TrackedJob* on_failure(const QueuedCommand& command, const nlohmann::json& body, Time now);

  SlurmSiteState& site_;
  SlurmPoller& poller_;
  std::vector<QueuedCommand> queued_;
  std::set<std::string> releasing_;  ///< jobs whose release Slurm has not answered yet
};

}  // namespace penstock
