#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "serve/api/api_dependencies.h"
#include "serve/api/site_history.h"

namespace penstock {

/// The pages of the daemon and its sites, and the metrics. For the thread that schedules.
class SitePages {
 public:
  /// `needs` must outlive it.
  explicit SitePages(const ApiDependencies& needs)
      : needs_(needs), health_(needs.backend.sites()) {}

  /// The state of the daemon.
  ApiResponse state(Time now) const;
  /// Whether the daemon acts, or observes only because it is configured to.
  ApiResponse ready(Time now) const;
  ApiResponse sites(Time now) const;
  ApiResponse history() const;
  /// Updates metrics and history.
  void measure(Time now);

 private:
  /// Since when a site's cluster has answered or not, and its signals have been fresh or not.
  struct SiteHealth {
    StatusSince backend{};
    StatusSince signals{};
  };
  struct SiteFigures {
    std::uint64_t queued = 0;
    std::uint64_t running = 0;
    Watts power{};
    Bill bill{};
  };
  /// Why the daemon does not act, and at which sites.
  std::vector<std::string> why_not() const;
  SiteFigures figures_of(std::size_t index, Time now) const;
  nlohmann::ordered_json site_json(std::size_t index, const Outlook& outlook, Time now) const;
  void set_metrics(const std::string& site, const SiteFigures& figures, std::uint64_t errors);

  const ApiDependencies& needs_;
  std::vector<SiteHealth> health_;
  SiteHistory history_;
};

}  // namespace penstock
