#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/backend.h"
#include "live/bridge/bridge_link.h"
#include "live/clock.h"
#include "live/reasons.h"
#include "live/site/agents.h"
#include "live/site/slurm_site.h"

namespace penstock {

/// The periodic work beside scheduling, done between two events.
class Housekeeping {
 public:
  virtual ~Housekeeping() = default;
  /// Called at least every second. True if the signals of the run were replaced.
  virtual bool tick(Time now) = 0;
  /// The journal could not be written.
  virtual void journal_failed(const std::string& why) = 0;
  /// The journal can be written again.
  virtual void journal_works() = 0;
};

/// Slurm clusters as one world: polls and hints become events, actions become requests that are
/// in the journal before they are sent.
class SlurmBackend final : public Backend {
 public:
  struct SiteSetup {
    SiteOptions options{};
    BridgeLink::Options bridge{};
    const SitePermissions* permissions = nullptr;  ///< must outlive it
  };
  /// All must outlive it.
  struct Context {
    const Cluster& cluster;
    LiveBeliefs& beliefs;
    JournalWriter& journal_writer;
    LiveClock& clock;
    Housekeeping& housekeeping;
    std::span<const SiteSignals> signals{};  ///< by site
  };
  SlurmBackend(std::vector<SiteSetup> sites, const Context& context);
  ~SlurmBackend() override;

  bool wait(std::optional<Time> until, Batch& batch) override;
  void execute(const Action& action, const State& state) override;
  Pace pace(const JobState& job) const override;

  /// What the following actions are done for.
  void set_reasons(Reasons reasons) { reasons_ = std::move(reasons); }
  /// Lets the thread that waits do `work` between two events. Any thread may call it.
  void post(std::function<void(Time now)> work);
  /// Ends the run. Any thread may call it.
  void stop();

  std::size_t sites() const { return sites_.size(); }
  SlurmSite& site(std::size_t i) { return sites_[i]->site; }
  const BridgeLink& link(std::size_t i) const { return sites_[i]->link; }
  /// Those on the nodes of a site.
  Agents& agents(std::size_t i) { return sites_[i]->agents; }
  JobPool& pool() { return pool_; }
  /// Adds a job that any site may take, and that is in the journal. The error says why no site can
  /// take it.
  Result<Done> add_to_pool(PooledJob job);
  /// False if there is no such job that waits.
  bool remove_from_pool(std::int64_t pooled);
  /// The site of a job of ours; nothing for what merely holds GPUs.
  SlurmSite* site_of(JobId job);
  void note(JournalEntry entry) { notes_.push_back(std::move(entry)); }
  /// When the next batch must come at the latest.
  void wake_at(Time when) { wake_at_ = std::min(when, wake_at_.value_or(when)); }
  /// Writes notes and commands into the journal, then sends the commands. False if the journal
  /// could not be written.
  bool flush(Time now);

 private:
  /// What all sites have together.
  struct Shared {
    JobNumbers& numbers;
    JobPool& pool;
  };
  struct Site {
    Site(SiteSetup setup, const Context& context, const Shared& shared);
    BridgeLink link;
    Agents agents;
    SlurmSite site;
    std::uint64_t starts = 0;
  };
  /// A command and whose it is.
  struct SiteCommand {
    SlurmSite* site = nullptr;
    QueuedCommand command{};
  };
  std::vector<SiteCommand> gather();
  bool write_journal(std::vector<SiteCommand>& commands);
  void poll_sites(Time now);
  void run_posted_work(Time now);
  bool has_news() const;
  void emit_pooled(Time now);
  void sleep_until(Time now, Time until) const;

  Context context_;
  JobNumbers numbers_;
  JobPool pool_;
  std::vector<Event> events_;  ///< about jobs of the pool
  std::vector<Job> submitted_;
  std::vector<std::unique_ptr<Site>> sites_;
  Reasons reasons_;
  std::vector<JournalEntry> notes_;
  std::vector<JournalAnswer> answers_;
  std::optional<Time> wake_at_;
  bool journal_fine_ = true;
  Time now_{};

  std::mutex mutex_;
  std::vector<std::function<void(Time)>> posted_;  ///< guarded by mutex_
  bool stops_ = false;                             ///< guarded by mutex_
  int wake_event_ = -1;
};

}  // namespace penstock
