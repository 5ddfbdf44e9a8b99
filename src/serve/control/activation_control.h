#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/scenario/scenario.h"
#include "journal/journal.h"
#include "live/bridge/cluster_claim.h"
#include "live/fence.h"
#include "live/slurm_backend.h"
#include "serve/config/config.h"
#include "serve/control/signal_watch.h"

namespace penstock {

/// What a daemon may do at a site, and its claim to be the only one that acts there.
struct SiteAccess {
  SitePermissions permissions{};
  ClusterClaim claim{""};
};

/// Decides whether Penstock may act at a site at this moment, and releases users' jobs when it may
/// not for too long. Never acts on a cluster that another daemon of this machine acts on. Writes
/// the heartbeat, and deletes old entries of the journal.
class ActivationControl final : public Housekeeping {
 public:
  /// All must outlive it; `scenario` is changed when its files are, `access` when acting becomes
  /// possible or impossible.
  struct Dependencies {
    const ServeConfig& config;
    Scenario& scenario;
    Journal& journal;
    SystemClock& clock;
    SlurmBackend& backend;
    std::span<SiteAccess> access{};  ///< by site
    SignalWatch::Reload reload{};
  };
  explicit ActivationControl(const Dependencies& needs);

  const SitePermissions& permissions(SiteId site) const {
    return needs_.access[site.index].permissions;
  }
  /// Why Penstock may not act at a site, as one text; nothing if it may.
  std::optional<std::string> why_not(SiteId site) const;
  /// Every reason why Penstock may not act at a site.
  std::vector<std::string> reasons(SiteId site) const;
  bool has_failed_open(SiteId site) const { return sites_[site.index].failed_open; }
  /// Empty if all is well with a site's price and carbon.
  const std::string& signal_problem(SiteId site) const { return signals_.problem(site); }

  /// Restores a pause from the journal: a pause outlives the daemon.
  void restore_pause();
  void pause(const std::string& reason, Time now);
  void resume(Time now);
  const std::optional<std::string>& paused() const { return paused_; }

  bool tick(Time now) override;
  void journal_failed(const std::string& why) override;
  void journal_works() override;

 private:
  struct Site {
    std::string other_daemon{};  ///< the daemon that acts there instead; empty if there is none
    std::optional<Time> idle_since{};  ///< since when Penstock may not act
    bool failed_open = false;          ///< users' jobs were released
    Time last_release{};
  };
  void check_other_daemons(Time now);
  void update_permissions(Time now);
  void permit(std::size_t index, Time now);
  void forbid(std::size_t index, const std::string& why, Time now);
  void release_jobs(std::size_t index, const std::string& why, Time now);
  void probe_journal(Time now);
  void write_heartbeat(Time now);
  void delete_old_entries(Time now);

  Dependencies needs_;
  SignalWatch signals_;
  std::vector<Site> sites_;
  std::optional<std::string> paused_;
  std::string journal_problem_;
  bool outside_hours_ = false;
  Time next_signals_{};
  Time next_claim_check_{};
  Time next_heartbeat_{};
  Time next_deletion_{};
  Time next_probe_{};
  Time now_{};
};

/// Why Penstock does not act at a site.
struct SiteReasons {
  std::string site{};
  std::vector<std::string> reasons{};
};

/// The reasons of all sites, each once. One that is not about all of them says which it is about,
/// "east, west: price.csv has ended", unless it begins with that: "east does not answer".
std::vector<std::string> merge_site_reasons(const std::vector<SiteReasons>& sites);

}  // namespace penstock
