#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/backend.h"
#include "journal/journal_writer.h"
#include "live/job/beliefs.h"
#include "live/job/job_pool.h"
#include "live/site/agents.h"
#include "live/site/gpu_mirror.h"
#include "live/site/job_table.h"
#include "live/site/shown_jobs.h"
#include "live/site/site_options.h"
#include "model/site_signals.h"

namespace penstock {

/// Numbers for jobs, one after the other over all sites.
class JobNumbers {
 public:
  JobId next() { return JobId{next_++}; }

 private:
  std::uint32_t next_ = 0;
};

/// The events that the scheduler gets with the next batch.
class EventOutbox {
 public:
  void add(Event event) { events_.push_back(std::move(event)); }
  /// Adds a job that the scheduler does not know, and its JobSubmitted event.
  void submit(Job job);
  bool is_empty() const { return events_.empty(); }
  /// The number of the present batch, which the scheduler has not got yet.
  std::uint64_t batch() const { return batch_; }

  /// Adds no further events about a job to this batch: the batch already reports that the job has
  /// stopped.
  void hold_back(const std::string& ref) { held_back_.insert(ref); }
  bool is_held_back(const TrackedJob& job) const { return held_back_.contains(job.seen.ref); }
  bool is_held_back(const std::string& ref) const { return held_back_.contains(ref); }
  /// Jobs that were held back in the last batch, or that compare_again() named; forgets them.
  JobTable::Refs take_to_compare() { return std::exchange(to_compare_, {}); }
  void compare_again(const std::string& ref) { to_compare_.insert(ref); }

  /// Adds everything to a batch, and begins the next.
  void move_into(Batch& batch);

 private:
  std::vector<Event> events_;
  std::vector<Job> submitted_;
  JobTable::Refs held_back_;
  JobTable::Refs to_compare_;
  std::uint64_t batch_ = 1;
};

/// What is to be written into the journal about one site.
class SiteJournal {
 public:
  explicit SiteJournal(std::string site) : site_(std::move(site)) {}

  void note(Time now, const std::string& what, const nlohmann::json& detail);
  void note(Time now, const TrackedJob& job, const std::string& what, const nlohmann::json& detail);
  /// What became of a request.
  void answer(JournalAnswer answer) { answers_.push_back(std::move(answer)); }

  std::vector<JournalEntry> take_notes() { return std::exchange(notes_, {}); }
  std::vector<JournalAnswer> take_answers() { return std::exchange(answers_, {}); }

 private:
  std::string site_;
  std::vector<JournalEntry> notes_;
  std::vector<JournalAnswer> answers_;
};

/// The state that the parts of a SlurmSite share: the site, its jobs, and events and journal
/// entries to be delivered. Each part changes it only as its own contract says.
struct SlurmSiteState {
  /// What a site is given. All must outlive it.
  struct Context {
    const Cluster& cluster;
    LiveBeliefs& beliefs;
    JobNumbers& numbers;
    const SitePermissions& permissions;
    JobPool& pool;
    const Agents* agents = nullptr;  ///< what they measure; nothing without them
    /// By site; without them, runs that the daemon did not see cost nothing.
    std::span<const SiteSignals> signals{};
  };
  SlurmSiteState(SiteOptions site_options, const Context& site_context);
  SlurmSiteState(const SlurmSiteState&) = delete;
  SlurmSiteState& operator=(const SlurmSiteState&) = delete;

  const SiteOptions options;
  const Context context;
  GpuMirror mirror;
  ShownJobs shown;  ///< what Slurm shows
  JobTable jobs;    ///< what we believe of it
  JobHistory history;
  EventOutbox events;
  SiteJournal journal;

  const Node& node_of(const Placement& where) const {
    return context.cluster.node(where.front().first);
  }
  const GpuType& type_of(const Placement& where) const {
    return context.cluster.type(node_of(where));
  }
  /// A job as the scheduler will see it, or why it is left to Slurm. Reads its comment anew.
  std::variant<Job, std::string> govern(TrackedJob& job) const;
};

/// Why a job is not governed; nothing if it is.
std::optional<std::string> why_not_governed(const SlurmJob& job, const SiteOptions& options);

}  // namespace penstock
