#pragma once

#include <memory>
#include <queue>

#include "learn/geo/observation.h"
#include "learn/geo/site_chooser.h"

namespace penstock {

/// What agents saw and did in a run.
struct AgentLog {
  struct Step {
    JobId job{};
    SiteChoice choice{};
  };
  /// A job handed to a site's scheduler.
  struct Dispatch {
    JobId job{};
    Time arrives{};
  };
  explicit AgentLog(const NetShape& shape) : windows(shape.item_features, shape.global_features) {}

  Windows windows;                     ///< one for each step
  std::vector<Step> steps{};           ///< in the order of their choice
  std::vector<Dispatch> dispatches{};  ///< in the order of time
};

/// Lets agents decide on every job that waits: the agent of the site where its files are sends it
/// to a site, or lets it wait. One that waits is thought over after half an hour, and in time for
/// it to leave. Jobs of one instant are decided on one after another, so that each sees who went
/// where before it: what it takes to see is most of the time, and asking a network about all at
/// once would not be faster.
class AgentRouter final : public Router {
 public:
  /// Writes to `log`, if there are any, which must outlive it.
  AgentRouter(const GeoRules& rules, std::unique_ptr<SiteChooser> chooser, AgentLog* log = nullptr);
  Routing route(const RouterView& view) override;

 private:
  struct Waiting {
    Time until{};
    std::uint64_t order = 0;
    JobId job{};
    SiteId at = kNoSite;
    bool operator<(const Waiting& other) const {  // priority_queue keeps the largest on top
      return std::pair(until, order) > std::pair(other.until, other.order);
    }
  };
  void gather(const RouterView& view);
  void decide(const JobState& job, const RouterView& view, Routing& routing);
  void send(const JobState& job, SiteId site, const RouterView& view, Routing& routing);
  void hold(const JobState& job, Time now);
  /// Of the last choice.
  std::string why(const RouterView& view) const;

  GeoRules rules_;
  GeoObserver observer_;
  std::unique_ptr<SiteChooser> chooser_;
  AgentLog* log_;
  std::vector<SiteNews> news_;  ///< with what was sent at this instant
  std::vector<HeldJobs> held_;  ///< indexed by SiteId
  std::priority_queue<Waiting> waiting_;
  std::uint64_t order_ = 0;
  std::vector<JobId> stuck_;  ///< nowhere to go: asked for again whenever something happens
  std::vector<JobId> due_;
  Windows window_;  ///< one
  std::vector<SiteChoice> choice_;
};

}  // namespace penstock
