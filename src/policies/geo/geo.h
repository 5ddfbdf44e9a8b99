#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "policies/geo/router.h"
#include "policies/geo/site_scheduler.h"
#include "policy/policy_table.h"

namespace penstock {

/// A router and a scheduler for each site. A job waits with the router until that sends it; it
/// then belongs to its site. One whose site goes down altogether before it has started, or that
/// is lost with it, comes back to the router, with its checkpoint if it has one.
class Geo final : public Policy {
 public:
  Geo(const Cluster& cluster, std::unique_ptr<Router> router,
      std::vector<std::unique_ptr<SiteScheduler>> schedulers);
  Decision decide(const View& view) override;

 private:
  void on(const JobSubmitted& e, const View& view);
  void on(const JobReady& e, const View& view);
  void on(const JobFinished& e, const View& view);
  void on(const JobInterrupted& e, const View& view);
  void on(const NodeFailed& e, const View& view);
  void on(const NodeRepaired& e, const View& view);
  void on(const JobArrived& e, const View& view);
  void on(const JobWithdrawn& e, const View& view);
  void on(const JobStarted& e, const View& view);
  void on(const JobMeasured& e, const View& view);
  void on(const Refused& /*e*/, const View& /*view*/) {}  // see undo_refused

  /// The jobs that are on their way to a site.
  struct Coming {
    std::uint32_t jobs = 0;
    std::uint32_t gpus = 0;
    double gpu_hours = 0;
  };
  /// What was refused of the last decision.
  void undo_refused(const View& view);
  void forget_waiting(JobId job);
  void reclaim_lost(const View& view);
  void route(const View& view, Decision& decision);
  void send(const SentJob& sent, const View& view, Decision& decision);
  /// Keeps the router's reasons for jobs that it sends, and passes the others on.
  void keep_reasons(Routing& routing, Decision& decision);
  /// Puts the router's reason for the site before the site's own reason for a job.
  void prepend_site_reasons(const View& view, Decision& decision);
  void expect(const JobState& job, SiteId site);
  void stop_expecting(const JobState& job, SiteId site);
  void publish(Time now);
  SiteScheduler& scheduler_of(NodeId node) { return *schedulers_[cluster_.node(node).site.index]; }

  const Cluster& cluster_;
  std::unique_ptr<Router> router_;
  std::vector<std::unique_ptr<SiteScheduler>> schedulers_;  ///< indexed by SiteId
  std::vector<JobId> waiting_;                              ///< with the router
  std::size_t fresh_ = 0;                   ///< the last of them that it has not seen
  PagedTable<SiteId> site_of_;              ///< of jobs that were sent to one
  std::vector<Coming> coming_;              ///< indexed by SiteId
  std::vector<SiteNews> news_;              ///< the same
  std::map<JobId, std::string> why_there_;  ///< of those sent that have not started since
  std::vector<JobId> sent_;                 ///< by this decision, with a reason of the router
  std::optional<Time> router_again_;
  bool site_failed_ = false;
};

/// The policies that hold a policy for each site.
std::span<const PolicyEntry> geo_policies();
/// The ways in which they may choose among sites.
std::vector<RouterEntry> router_entries();

}  // namespace penstock
