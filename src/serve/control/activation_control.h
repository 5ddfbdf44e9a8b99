#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/scenario/scenario.h"
#include "live/bridge/cluster_claim.h"
#include "live/fence.h"
#include "live/slurm_backend.h"
#include "serve/config/config.h"
#include "serve/journal/journal.h"

namespace penstock {

/// Decides whether Penstock may act at a site at this moment, and lets users' jobs go when it may
/// not for too long. Acts on no cluster on which another daemon of this machine does. Reads prices
/// again when their files change, shows that it lives, and keeps the journal small.
class Steering final : public Housekeeping {
 public:
  /// Reads the scenario once more, its files included.
  using Reload = std::function<Result<Scenario>()>;
  /// All must outlive it; `scenario` is changed when its files are.
  struct Surroundings {
    const ServeConfig& config;
    Scenario& scenario;
    Journal& journal;
    SystemClock& clock;
    Reload reload{};
    std::vector<std::string> clusters{};  ///< what names each site's among all clusters
  };
  explicit Steering(Surroundings around);
  /// To be called before the first tick; a backend needs its steering first.
  void steer(SlurmBackend& backend) { backend_ = &backend; }

  const SitePermissions& permissions(SiteId site) const { return sites_[site.index].permissions; }
  /// Why nothing is done at a site; nothing if something may be.
  std::optional<std::string> why_not(SiteId site) const;
  std::vector<std::string> reasons(SiteId site) const;
  bool has_failed_open(SiteId site) const { return sites_[site.index].open; }
  /// Nothing if all is well with a site's price and carbon.
  const std::string& signal_trouble(SiteId site) const { return sites_[site.index].stale; }

  /// A pause outlives the daemon: one that the journal knows of goes on.
  void remember_pause();
  void pause(const std::string& reason, Time now);
  void resume(Time now);
  const std::optional<std::string>& paused() const { return paused_; }

  bool tick(Time now) override;
  void journal_failed(const std::string& why) override;
  void journal_works() override;

 private:
  struct Site {
    SitePermissions permissions{};
    std::string stale{};
    ClusterClaim claim{""};
    std::string rival{};               ///< who else acts there; empty if nobody does
    std::optional<Time> idle_since{};  ///< since when nothing may be done
    bool open = false;                 ///< users' jobs were let go
    Time last_let_go{};
  };
  bool read_signals_again(Time now);
  void look_for_stale(Time now);
  void look_for_rivals(Time now);
  std::string stale_of(const SignalSpan& span, const std::optional<Duration>& limit,
                       Time now) const;
  void update_permissions(Time now);
  void turn(std::size_t index, Time now);
  void beat(Time now);
  void forget_old(Time now);
  void say(Time now, const std::string& site, const std::string& what, const std::string& text);

  Surroundings around_;
  SlurmBackend* backend_ = nullptr;
  std::vector<Site> sites_;
  std::optional<std::string> paused_;
  std::string journal_trouble_;
  std::string reload_trouble_;
  bool outside_hours_ = false;
  std::map<std::string, std::filesystem::file_time_type> files_;
  std::set<std::string> gone_;  ///< of them
  Time next_signals_{};
  Time next_rivals_{};
  Time next_beat_{};
  Time next_forget_{};
  Time next_probe_{};
  Time now_{};
};

/// Why nothing is done at a site.
struct SiteReasons {
  std::string site{};
  std::vector<std::string> reasons{};
};

/// The reasons of all sites, each once. One that is not about all of them says which it is about,
/// "east, west: price.csv has ended", unless it begins with that: "east does not answer".
std::vector<std::string> joint_reasons(const std::vector<SiteReasons>& sites);

}  // namespace penstock
