#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/scenario/scenario.h"
#include "serve/api/api.h"
#include "serve/api/job_changes.h"
#include "serve/api/job_view.h"
#include "serve/api/pending_request.h"
#include "serve/api/site_history.h"
#include "serve/control/activation_control.h"
#include "serve/control/daemon_observer.h"
#include "serve/control/metrics.h"
#include "serve/http/event_feed.h"
#include "serve/journal/journal.h"

namespace penstock {

/// What the daemon shows and lets be done. Pages of what is now are made by the thread that
/// schedules, between two events; those of the journal by whoever asks. They are kept for a moment,
/// so that many readers cost no more than one.
class Desk final : public ApiSource {
 public:
  using Answer = std::function<ApiAnswer(const std::string& body)>;
  /// All must outlive it.
  struct Surroundings {
    SlurmBackend& backend;
    Steering& steering;
    const Watcher& watcher;
    Journal& journal;
    const Scenario& scenario;
    const ServeConfig& config;
    EventFeed& feed;
    DaemonMetrics& metrics;
    std::string version{};
    PolicyChoice policy{};
    Time since{};
    Answer plan{};                         ///< as `penstock plan`
    std::function<ApiAnswer()> savings{};  ///< may take its time
  };
  explicit Desk(Surroundings around)
      : around_(std::move(around)), marks_(around_.backend.sites()) {}

  ApiAnswer look(const ApiLook& look) override;
  ApiAnswer act(const ApiDeed& deed) override;
  std::string metrics() override { return around_.metrics.text(); }
  /// For the thread that schedules, every second: brings metrics and history up to date.
  void measure(Time now);
  /// The same: tells those who follow live which jobs have changed, each as it is now; of too many
  /// at once only how many.
  void tell_changes(Time now);
  /// Nobody will make pages any more: those who wait are told so.
  void close();

 private:
  struct Kept {
    std::chrono::steady_clock::time_point made{};
    ApiAnswer answer{};
  };
  using Give = std::function<void(ApiAnswer)>;
  using Work = std::function<void(Time now, const Give& give)>;
  /// Has the other thread do something, and waits for what it gives, which may come later.
  ApiAnswer ask(const Work& work, std::chrono::milliseconds patience = std::chrono::seconds(5));
  /// The same of what a cluster must be asked for, as long as that may take.
  ApiAnswer ask_cluster(const Work& work);
  ApiAnswer page(const ApiLook& look, Time now);
  ApiAnswer decisions(const ApiLook& look);

  // By the thread that schedules.
  ApiAnswer state(Time now) const;
  ApiAnswer ready(Time now) const;
  /// Why nothing is done, and where.
  std::vector<std::string> why_not() const;
  ApiAnswer sites(Time now) const;
  ApiAnswer history() const;
  template <class List>
  void list_named(std::string_view ids, List& list) const;
  template <class List>
  void list_jobs(const ApiLook& look, List& list) const;
  JobSight sight_at(Time now) const;
  ApiAnswer jobs(const ApiLook& look, Time now) const;
  ApiAnswer job(const ApiLook& look, Time now) const;
  /// The page of a job of the pool; nothing if a cluster has taken it, or if there is none.
  std::optional<ApiAnswer> pooled(std::int64_t number, Time now) const;

  ApiAnswer submit(const std::string& body);
  ApiAnswer pool_up(const std::string& members, Time now);
  bool take_back(std::int64_t pooled, const char* why, Time now);
  ApiAnswer cancel(const ApiDeed& deed);
  ApiAnswer progress(const ApiDeed& deed);
  ApiAnswer agent(const ApiDeed& deed);
  std::vector<std::size_t> sites_with(const std::string& node, const std::string& wanted) const;
  ApiAnswer pause(const std::string& body);
  ApiAnswer resume();

  /// A job by its site and what Slurm calls it there.
  struct JobAt {
    std::size_t site = 0;
    std::string ref{};
  };
  /// Which job "east/12", "12" or "pool/3" is; what is possible if that cannot be told.
  Result<JobAt> find(const std::string& id) const;
  Result<JobAt> find_at(std::string_view site, const std::string& ref) const;
  Result<JobAt> find_anywhere(const std::string& ref) const;
  Result<JobAt> find_placed(std::int64_t pooled) const;
  /// The sites that show such a job, else those of whose the journal knows.
  std::vector<std::size_t> sites_of(const std::string& ref) const;
  static std::int64_t number_of(const SlurmSite& site, const std::string& ref);

  /// What is kept of a site between two looks at it.
  struct SiteMarks {
    Standing backend{};
    Standing signals{};
    JobChanges changes{};
  };
  void tell_changes(std::size_t site, Time now);

  Surroundings around_;
  std::vector<SiteMarks> marks_;  ///< of the thread that schedules, as is history_
  SiteHistory history_;
  std::mutex mutex_;
  std::map<std::string, Kept, std::less<>> kept_;  ///< guarded by mutex_
  std::set<std::shared_ptr<Errand>> errands_;      ///< that somebody waits for; the same
  bool closed_ = false;                            ///< guarded by mutex_
};

}  // namespace penstock
