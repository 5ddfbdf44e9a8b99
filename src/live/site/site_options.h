#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock {

/// How one Slurm cluster is governed.
struct SiteOptions {
  SiteId site{};
  std::string name{};
  std::vector<std::string> nodes{};       ///< Slurm's names, in the order of the cluster's nodes
  std::vector<std::string> partitions{};  ///< that are governed; empty: all
  std::vector<std::string> users{};       ///< whose jobs are governed; empty: everybody's
  std::string account{};  ///< as which the bridge submits jobs; empty if nobody says
  std::map<std::string, std::string, std::less<>> gpu_types{};  ///< Slurm's name → the cluster's
  Duration poll = std::chrono::seconds(5);
  Duration start_timeout =
      std::chrono::seconds(60);  ///< until a start that does not come is undone
  Duration stop_timeout =
      std::chrono::seconds(180);                 ///< until a stop that does not come is given up
  Duration usual_time = std::chrono::hours(24);  ///< of jobs without a time limit
  Duration restart{};                            ///< until work goes on when a job starts again
  MoneyRate tardiness{};  ///< of a second past the deadline, for a job of priority 1
};

/// What Penstock may do at a site at this moment. Whoever decides that changes it while it runs.
struct SitePermissions {
  bool acts = false;     ///< decisions are carried out
  bool holds = false;    ///< new jobs wait until they are started; otherwise Slurm starts them
  bool releases = true;  ///< jobs that are held for Penstock; not where another daemon holds them
};

}  // namespace penstock
