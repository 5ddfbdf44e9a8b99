#pragma once

#include <utility>
#include <vector>

#include "policies/geo/router.h"
#include "worlds/geo_world.h"

namespace penstock {

/// A router by itself: a test says which jobs wait with it and what each site publishes. Files are
/// at once where they are needed.
class RouterStage {
 public:
  explicit RouterStage(const std::vector<PlainSite>& sites)
      : world_(geo_world(sites, {.megabits_per_second = 1e9})),
        state_(world_.cluster, {}, world_.start()),
        models_(world_.cluster.types.size()) {
    for (const Site& site : world_.cluster.sites)
      news_.push_back({.gpus = site.gpus, .free = site.gpus});
  }

  const Cluster& cluster() const { return world_.cluster; }
  Time at(double hours) const { return world_.start() + round_duration(hours * 3600); }
  /// Starts as that of a site that is up and empty.
  SiteNews& news(std::uint32_t site) { return news_[site]; }

  /// Jobs are numbered from 0. Asks for as long as it runs.
  void submit(const GeoJob& plain) {
    add_job(world_, plain);
    Job job = world_.jobs.back().job;
    const JobId id = job.id;
    const Time submitted = job.submitted;
    state_.admit(std::move(job));
    state_.apply(JobSubmitted{id}, submitted);
    waiting_.push_back(id);
  }
  void withdraw(std::uint32_t job) { std::erase(waiting_, JobId{job}); }

  /// Those that are sent no longer wait.
  Routing route(Router& router, double hours = 0) {
    const Outlook outlook(world_.signals, world_.forecasts, at(hours));
    Routing routing = router.route({.now = at(hours),
                                    .waiting = waiting_,
                                    .fresh = waiting_.size(),
                                    .sites = news_,
                                    .state = state_,
                                    .models = models_,
                                    .outlook = outlook});
    for (const SentJob& sent : routing.sent) std::erase(waiting_, sent.job);
    return routing;
  }
  /// The sites to which jobs are sent now, in the order of sending.
  std::vector<std::uint32_t> sites_chosen(Router& router, double hours = 0) {
    std::vector<std::uint32_t> sites;
    for (const SentJob& sent : route(router, hours).sent) sites.push_back(sent.site.index);
    return sites;
  }

 private:
  World world_;
  State state_;
  Models models_;
  std::vector<SiteNews> news_;
  std::vector<JobId> waiting_;
};

}  // namespace penstock
