#pragma once

#include <array>
#include <span>
#include <string_view>

#include "learn/geo/job_costs.h"
#include "learn/net/parameters.h"
#include "learn/net/rollout.h"

namespace penstock {

/// Raised whenever what a network sees changes its meaning under the same name.
inline constexpr int kGeoFeatureVersion = 1;

/// A multi-agent setup in which networks choose sites. The agents of all sites share one network.
struct GeoVariant {
  std::string_view name;
  std::string_view summary;
  bool joint_critic = false;  ///< in training, the critic sees what sites keep to themselves
  bool joint_actor = false;   ///< the actor sees it too: one agent decides for all sites
  bool team_reward = false;   ///< rewards include lateness caused to others
};

/// marl, independent-rl and single-rl.
std::span<const GeoVariant> geo_variants();
/// The one to take where nothing else is asked for.
const GeoVariant& default_geo_variant();
/// Null if there is none of that name.
const GeoVariant* find_geo_variant(std::string_view name);

/// Names of the features of each choice, in order: all that an actor sees.
std::span<const std::string_view> geo_item_features(const GeoVariant& variant);
/// Names of the features that only the critic sees, in order.
std::span<const std::string_view> geo_global_features(const GeoVariant& variant);
NetShape geo_shape(const GeoVariant& variant, ActorKind kind = ActorKind::kernel);

/// What is true of every job that a router decides on.
struct GeoRules {
  GeoVariant variant{};
  UtilityWeights weights{};
  JobScale scale{};
  double slack = 0.5;     ///< jobs without a deadline may wait for this part of the time they ask
  bool waiting = true;    ///< false: agents may not let jobs wait
  bool transfers = true;  ///< false: agents believe that sending files costs nothing but time
};

/// The number of jobs that the agent of a site has told to wait.
struct HeldJobs {
  std::uint32_t jobs = 0;
};

/// What a site's agent sees when it decides on a job whose files are there: an item for every
/// site, and a last one for waiting. Sites are seen by what they publish, and by price, carbon and
/// forecasts; what they keep to themselves is in the globals, and in items only if the variant is
/// one agent for all. A site is barred if the job cannot run there, if the site is down, or if it
/// would be late there and in time elsewhere; waiting is barred once the job must leave to end in
/// time, and always if the rules say so.
class GeoObserver {
 public:
  explicit GeoObserver(const GeoRules& rules);

  /// To be called first at every instant. What sites keep to themselves is looked at only if it
  /// is `wanted`; otherwise it is 0.
  void look(const RouterView& view, bool inner_wanted);
  /// False if there is nothing to choose: no site is open, and the job waits until one is. The
  /// window is valid until the next call. `news` may be newer than that of the instant.
  bool show(const JobState& job, std::span<const SiteNews> news, std::span<const HeldJobs> held);
  Window window() const { return {items_, globals_, barred_}; }
  /// When the job last shown must leave to end in time.
  Time latest() const { return latest_; }

 private:
  /// What sending one job to one site means.
  struct SiteOption {
    std::optional<Stay> stay{};  ///< nothing if it is not open
    Time latest{};
    double cost = 0;
    double transfer = 0;
    bool late = false;
  };
  /// What a site does not publish.
  struct SiteInternals {
    double held_hours = 0;    ///< of jobs with its agent, for each of its GPUs
    double urgent_share = 0;  ///< GPUs that those need who must leave within the hour
    double freed_soon = 0;    ///< share of GPUs whose jobs should end within the hour
  };

  void observe_internals(const RouterView& view);
  void evaluate_sites(const JobState& job, std::span<const SiteNews> news);
  double best_later(const JobState& job) const;
  void put_site(const JobState& job, std::uint32_t site, std::span<const SiteNews> news);
  void put_place(const JobState& job, std::uint32_t site, const SiteNews& news);
  void put_wait(const JobState& job, std::span<const SiteNews> news);
  void put_job(const JobState& job, std::span<const HeldJobs> held);
  void put_inner(std::uint32_t site);
  void put_globals(const JobState& job, std::span<const SiteNews> news);
  void put(double feature);
  double slack_hours() const;
  bool may_wait() const { return rules_.waiting && now_ < latest_; }
  double own(double cost) const { return cost / size_; }

  GeoRules rules_;
  CostEstimator costs_;
  Time now_{};
  const Cluster* cluster_ = nullptr;
  const Models* models_ = nullptr;
  std::array<double, 4> hour_{};  ///< sine and cosine of the day and the week
  double price_now_ = 0;          ///< mean over sites
  double carbon_now_ = 0;         ///< mean over sites
  std::vector<SiteInternals> inner_;
  // Of the job last shown.
  std::vector<SiteOption> options_;
  std::uint32_t cheapest_ = 0;
  double best_ = 0;
  double size_ = 1;
  double price_stay_ = 0;
  double carbon_stay_ = 0;
  Time latest_{};
  std::vector<float> items_;
  std::vector<float> globals_;
  std::vector<std::uint8_t> barred_;
  std::vector<float> job_part_;
};

}  // namespace penstock
