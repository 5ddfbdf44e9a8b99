#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/scenario/scenario.h"
#include "live/slurm_backend.h"
#include "serve/config/config.h"

namespace penstock {

/// Records an event for operators: in the log at once and, with the next flush, in the journal.
/// `site` may be empty.
void announce(SlurmBackend& backend, Time now, const std::string& site, const std::string& what,
              const std::string& text);

/// Watches the files of prices and other signals: reads them again when they change, and finds the
/// sites whose files do not cover the present, or are too old.
class SignalWatch {
 public:
  /// Reads the scenario once more, its files included.
  using Reload = std::function<Result<Scenario>()>;
  /// All must outlive it; `scenario` is changed when its files are.
  struct Dependencies {
    const ServeConfig& config;
    Scenario& scenario;
    SlurmBackend& backend;
    Reload reload{};
  };
  explicit SignalWatch(Dependencies needs);

  /// Checks the files. True if the signals of the scenario were replaced.
  bool check(Time now);
  /// Why a site's signals cannot be trusted; empty if they can.
  const std::string& problem(SiteId site) const { return problems_[site.index]; }

 private:
  /// Whether any file was written since it was last looked at.
  bool any_changed(Time now);
  bool reload_changed(Time now);
  void check_sites(Time now);
  std::string problem_of(const SignalSpan& span, const std::optional<Duration>& limit,
                         Time now) const;

  Dependencies needs_;
  std::vector<std::string> problems_;  ///< by site
  std::string reload_problem_;
  std::map<std::string, std::filesystem::file_time_type> files_;  ///< when each was written
  std::set<std::string> missing_;                                 ///< of these files
};

}  // namespace penstock
