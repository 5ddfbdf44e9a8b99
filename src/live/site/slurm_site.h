#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/site/action_executor.h"
#include "live/site/foreign_jobs.h"
#include "live/site/reconciler.h"

namespace penstock {

/// The clock that an agent shall set on a GPU of its node; other GPUs run with their defaults.
struct AgentOrder {
  std::uint32_t index = 0;
  std::uint32_t clock_mhz = 0;
  std::int64_t job = 0;
};

/// One Slurm cluster. What it shows, by polls and by hints, becomes events; actions become
/// commands, which are confirmed, or undone, by what it shows next. It keeps no state that cannot
/// be restored from Slurm and the journal.
///
/// It sends only queries by itself: commands wait until they are taken, journalled and dispatched.
///
/// The work is done by its parts, listed in docs/design.md: SlurmPoller asks Slurm for jobs and
/// nodes; Reconciler, NodeMonitor and ForeignJobs compare the answers with what the scheduler
/// believes; GpuBlocks keeps the scheduler from GPUs and nodes that it must not use; SchedulerFeed
/// reports events to it. ActionExecutor and PoolLaunches make commands of its actions and of starts
/// from the pool; CommandQueue keeps them until they are sent. JobMeter and PaceModel say how far
/// jobs are and what they draw; RunRecorder records their runs.
class SlurmSite {
 public:
  using Context = SlurmSiteState::Context;
  /// All must outlive it.
  SlurmSite(SiteOptions options, BridgeConnection& connection, const Context& context);

  const SiteOptions& options() const { return state_.options; }

  // What happens.
  /// Handles the messages of the bridge, and sends the polls that are due.
  void poll(Time now);
  /// When poll() must be called even without a message.
  Time next_look() const { return next_look_; }
  bool has_news() const { return !state_.events.is_empty() || meter_.is_due(); }
  /// Adds what has happened to a batch; what must not be told with it is kept for the next.
  void move_into(Batch& batch);
  std::vector<JournalEntry> take_notes() { return state_.journal.take_notes(); }
  void on_progress(const std::string& ref, const JobProgress& progress) {
    meter_.on_progress(ref, progress);
  }
  void set_last_progress(RunRecorder::LastProgress source) {
    runs_.set_last_progress(std::move(source));
  }

  // What is to be done.
  /// An action that the scheduler's state already shows.
  void execute(const ActionRequest& request) { actions_.execute(request); }
  /// Releases all jobs that are held for us, to Slurm's own scheduler.
  void release_all(const Cause& cause);
  /// False if there is no such job.
  bool cancel(const std::string& ref, const Cause& cause, CommandReply then = {});
  void submit(const bridge::SubmitJob& job, const Cause& cause, CommandReply then);
  /// Submits a job of the pool, and starts it: the scheduler's state shows it running there.
  void launch(PooledJob& job, const Start& start, const Cause& cause) {
    launches_.launch(job, start, cause);
  }
  /// Releases a waiting job, with its original request, to Slurm's own scheduler.
  void hand_over(JobId job, const std::string& why, Time now);
  std::vector<QueuedCommand> take_commands() { return commands_.take(); }
  void dispatch(QueuedCommand command) { commands_.dispatch(std::move(command)); }
  /// Drops a command that could not be journalled, as if the cluster had refused it.
  void drop(const QueuedCommand& command, const std::string& why, Time now);
  std::vector<JournalAnswer> take_answers() { return state_.journal.take_answers(); }

  // What is known.
  bool knows(JobId job) const { return state_.jobs.knows(job); }
  const TrackedJob* find(JobId job) const { return state_.jobs.find(job); }
  const TrackedJob* find(const std::string& ref) const { return state_.jobs.find(ref); }
  const JobTable::ByRef& jobs() const { return state_.jobs.all(); }
  const GpuMirror& mirror() const { return state_.mirror; }
  const SlurmPoller& poller() const { return poller_; }
  bool answers() const { return poller_.answers(); }  ///< the last poll was answered
  const std::string& last_error() const { return poller_.last_error(); }
  /// Jobs and nodes were seen, at least once.
  bool has_looked() const { return poller_.saw_jobs() && poller_.saw_nodes(); }
  /// Why a start of the job would be useless at present; nothing if it would not.
  std::optional<std::string> why_not_start(JobId job) const;
  /// Why a job that runs as asked must not have these GPUs; nothing if it may.
  std::optional<std::string> why_not_shaped(JobId job, const Placement& where) const;
  std::vector<AgentOrder> plan_for(const std::string& node) const;

  /// What is remembered of jobs that are not in the table.
  JobHistory& history() { return state_.history; }
  /// Adds the bill of a job that was withdrawn from the scheduler and may be submitted again.
  void add_bill(JobId job, const Bill& bill) { state_.history.add_bill(job, bill, state_.jobs); }

 private:
  void on_reply(const SlurmPoller::Reply& reply, Time now);
  void on_jobs_reply(const nlohmann::json& body, Time now);
  void on_nodes_reply(const nlohmann::json& body, Time now);
  void on_command_reply(const QueuedCommand& command, const nlohmann::json& body, Time now);

  SlurmSiteState state_;
  SlurmPoller poller_;
  CommandQueue commands_;
  PaceModel pace_;
  RunRecorder runs_;
  JobMeter meter_;
  GpuBlocks blocks_;
  SchedulerFeed feed_;
  NodeMonitor nodes_;
  ForeignJobs foreign_;
  PoolLaunches launches_;
  Reconciler reconciler_;
  ActionExecutor actions_;
  Time next_look_{};
};

}  // namespace penstock
