#pragma once

#include <memory>
#include <optional>
#include <queue>
#include <string>

#include "base/rng.h"
#include "learn/geo/observation.h"
#include "learn/net/actor_critic.h"
#include "learn/net/losses.h"

namespace penstock {

/// What was chosen in a window, and how likely that was.
struct SiteChoice {
  std::uint32_t item = 0;
  double log_probability = 0;
};

/// Chooses an item of each window that GeoObserver shows. Never a barred one.
class SiteChooser {
 public:
  virtual ~SiteChooser() = default;
  /// Choices are in the order of the windows.
  virtual void choose(const Windows& windows, std::vector<SiteChoice>& out) = 0;
  /// The reason of a choice, for people.
  virtual std::string why(const SiteChoice& /*choice*/) const { return "its agent chose so"; }
};

/// The likeliest item by a network, or one by chance.
class NetSiteChooser final : public SiteChooser {
 public:
  /// `net` must outlive it. Without `chance` it takes the likeliest.
  explicit NetSiteChooser(const ActorCritic& net, std::optional<Rng> chance = std::nullopt)
      : net_(net), chance_(chance) {}
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override;
  std::string why(const SiteChoice& choice) const override;

 private:
  const ActorCritic& net_;
  std::optional<Rng> chance_;
  std::vector<float> logits_;
  Categorical now_;
};

/// The least predicted cost, of sites with room; where none has room, the least wait for its
/// slack. Waits, if it may, for what costs less by at least a fiftieth of a job's mean cost.
class ThriftyChooser final : public SiteChooser {
 public:
  explicit ThriftyChooser(bool waits) : waits_(waits) {}
  void choose(const Windows& windows, std::vector<SiteChoice>& out) override;
  std::string why(const SiteChoice& choice) const override;

 private:
  std::uint32_t choose(const Window& window, std::size_t features) const;
  bool waits_;
};

/// The observations and actions of agents in a run.
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
/// to a site, or lets it wait. A job that waits is decided on again after half an hour, and in time
/// for it to leave. Jobs of one instant are decided on one after another, so that each decision
/// sees those before it; observing takes most of the time, so that one evaluation for all would not
/// be faster.
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
  std::vector<JobId> stuck_;  ///< without an open site: decided on again at every event
  std::vector<JobId> due_;
  Windows window_;  ///< one
  std::vector<SiteChoice> choice_;
};

}  // namespace penstock
