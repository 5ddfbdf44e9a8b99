#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace penstock {

/// What a site publishes about itself.
struct SiteNews {
  std::uint32_t gpus = 0;     ///< of nodes that are up
  std::uint32_t free = 0;     ///< of those, the ones that no job holds
  std::uint32_t claimed = 0;  ///< asked for by jobs that wait there or are on their way
  std::uint32_t waiting = 0;  ///< jobs that wait there or are on their way
  std::uint32_t running = 0;  ///< jobs
  double waiting_gpu_hours = 0;
  double running_gpu_hours = 0;  ///< still ahead of running jobs, by what users said

  /// GPUs that nobody holds or waits for.
  std::uint32_t room() const { return free > claimed ? free - claimed : 0; }
  /// Hours of work that the site already has, over its GPUs.
  double load() const { return gpus == 0 ? 0 : (waiting_gpu_hours + running_gpu_hours) / gpus; }
};

inline double hours_of(Duration length) {
  return seconds(length) / kSecondsPerHour;
}

/// Time cut into steps of one length.
struct Steps {
  Time begin{};
  Duration length{};
  std::uint32_t count = 0;
};

/// All that a router may know at one instant. Jobs are in `state`; of machines and queues it knows
/// only what sites publish, not which job runs where.
struct RouterView {
  Time now{};
  std::span<const JobId> waiting{};   ///< ready jobs that have no site yet, longest here first
  std::size_t fresh = 0;              ///< the last so many of them have just come
  std::span<const SiteNews> sites{};  ///< indexed by SiteId
  const State& state;
  const Models& models;
  const Outlook& outlook;
  /// Returns how many GPUs the running jobs of a site will hold in each step on average, by their
  /// requested times. May be empty: then that is unknown.
  std::function<std::vector<double>(SiteId, const Steps&)> held_ahead{};
  bool explain = false;  ///< `Routing::because` is read
};

struct SentJob {
  JobId job{};
  SiteId site{};
};

struct Routing {
  std::vector<SentJob> sent{};      ///< who is handed to a site's scheduler; the others wait on
  std::optional<Time> ask_again{};  ///< even if nothing happens until then
  std::string reason{};
  std::vector<JobReason> because{};  ///< why there, or why it waits; not of all if all is clear
};

/// Chooses where jobs run, or lets them wait. Called after every event while jobs wait, and at the
/// time for which it asked.
class Router {
 public:
  virtual ~Router() = default;
  virtual Routing route(const RouterView& view) = 0;
  /// A waiting job is gone: it was withdrawn, or started by somebody else.
  virtual void forget(JobId /*job*/) {}
};

/// How a job is believed to run at a site with the GPUs that it requested.
struct Stay {
  Duration delay{};      ///< until its files are there
  Duration run{};        ///< once it has started
  Watts draw{};          ///< beyond what its GPUs draw when idle; without PUE
  double gigabytes = 0;  ///< that must be sent
};

/// Nothing if the job cannot run there: no such GPUs, too few, or nothing joins the sites. Nodes
/// that are down count as there.
std::optional<Stay> stay_at(const JobState& job, SiteId site, const Cluster& cluster,
                            const Models& models);

}  // namespace penstock
