#pragma once

#include <memory>
#include <vector>

#include "base/paged_table.h"
#include "policies/geo/router.h"
#include "policy/policy_table.h"

namespace penstock {

/// The scheduler of one site, which sees nothing but this site: any policy, with a state of its own
/// in which nodes and GPUs are numbered from 0. Keeps that state consistent with the state of the
/// run.
class SiteScheduler {
 public:
  /// The scheduler is `name` of `setting.table`.
  static Result<std::unique_ptr<SiteScheduler>> make(const PolicySetting& setting, SiteId site,
                                                     std::string_view name, const Options& options);

  /// A job is handed over; its files are here.
  void accept(const JobState& job);
  /// Takes over a job that was started by others, as it was before its start.
  void accept_before(const JobStarted& e, const View& view);
  /// All jobs that wait here are taken back.
  std::vector<JobId> withdraw_queue(Time now);
  /// A job that waits here is taken back.
  void withdraw(JobId job, Time now);
  /// Undoes the refused actions of its last decision.
  void undo_refused(const View& view);
  // Events about a job or a node of this site.
  void on(const JobFinished& e, Time now);
  void on(const JobInterrupted& e, Time now);
  void on(const NodeFailed& e, Time now);
  void on(const NodeRepaired& e, Time now);
  void on(const JobStarted& e, Time now);
  void on(const JobMeasured& e, const View& view);

  bool is_down() const { return up_gpus_ == 0; }
  bool is_due(Time now) const { return !happened_.empty() || (again_ && *again_ <= now); }
  std::optional<Time> ask_again() const { return again_; }
  /// Lets the scheduler decide; its actions are added to `decision` in the large world's numbers.
  void decide(const View& view, Decision& decision);

  /// What it publishes; jobs on their way are not in it.
  SiteNews news(Time now) const;
  /// GPUs that running jobs will hold in each step, in the mean over what is ahead of it.
  std::vector<double> held_ahead(Time now, const Steps& steps) const;

 private:
  SiteScheduler(const PolicySetting& setting, SiteId site);

  /// What a job adds to the load that is published.
  struct JobLoad {
    double gpus = 0;
    double gpu_hours = 0;  ///< while it waits
    double end = 0;        ///< while it runs: when, in hours since the start
    bool runs = false;
  };
  void update_speeds(const View& view);
  void apply_own(const Action& action, Time now);
  Action to_global(Action action) const;
  Action to_local(Action action) const;
  Placement to_local(Placement where) const;
  bool has(NodeId node) const;
  void undo_node(const Action& action, Time now);
  void update_load(JobId job);
  void remove_load(JobId job);
  void count(const JobLoad& load, double sign);

  SiteId site_;
  Cluster cluster_;
  GpuId first_gpu_;
  NodeId first_node_;
  Time start_;
  State state_;
  std::unique_ptr<Policy> policy_;
  std::vector<Event> happened_;
  std::vector<JobId> changed_;  ///< by the last decision: the large world knows their speed
  std::vector<JobId> ended_;    ///< in what is being decided on
  std::optional<Time> again_;
  std::uint32_t up_gpus_;
  PagedTable<JobLoad> loads_;
  JobLoad waiting_;  ///< sums over jobs
  JobLoad running_;  ///< the same; `end` is summed by GPU
};

}  // namespace penstock
