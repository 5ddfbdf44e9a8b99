#pragma once

#include <span>
#include <vector>

#include "base/paged_table.h"
#include "model/bill.h"
#include "model/state.h"
#include "model/tariff.h"

namespace penstock {

/// A site's bill by who caused it. The three add up to what the site used.
struct SiteBill {
  Bill jobs{};      ///< GPUs while a job holds them
  Bill idle{};      ///< GPUs that no job holds, asleep or awake
  Bill overhead{};  ///< the nodes around the GPUs
  Bill total() const { return jobs + idle + overhead; }
};

/// Keeps the bill of a run, lazily and exactly: draw is constant between two
/// changes, so a job is billed when it changes and the rest of a site when its
/// idle draw changes. Every figure includes the site's PUE.
class Ledger {
 public:
  Ledger(const Cluster& cluster, std::span<const SiteSignals> signals, Time start);

  /// Nothing may be told of an instant before the last one told.
  void advance(Time now);

  void job_started(const JobState& job, Watts draw);
  /// A job goes on with the same GPUs at another draw.
  void job_changed(const JobState& job, Watts draw);
  /// Closes the account of a job's present run and frees its GPUs.
  void job_stopped(const JobState& job);
  /// A node went from one phase to another; all its GPUs are free.
  void node_changed(NodeId node, NodePhase from, NodePhase to);

  /// Brings idle draw up to date; call before reading the bills.
  void settle();
  /// What a job has been billed in the runs it has stopped; forgets it.
  Bill take(JobId job);
  const SiteBill& site(SiteId id) const { return sites_[id.index].bill; }
  /// What all sites have used until now, runs that go on included.
  Bill so_far() const;
  /// GPUs times the time that jobs have held them, runs that go on not included.
  Duration gpu_time(SiteId id) const { return sites_[id.index].gpu_time; }
  /// What a site draws at this moment, PUE not included.
  Watts load(SiteId id) const;

 private:
  struct SiteAccount {
    SiteBill bill{};
    PerWatt reading{};  ///< of the tariff, at the present instant
    PerWatt settled{};  ///< the same when idle and overhead were last billed
    Watts idle{};
    Watts overhead{};
    Watts jobs{};
    Bill metered{};  ///< all three, until `settled`
    Duration gpu_time{};
  };
  struct JobAccount {
    Bill bill{};
    Watts draw{};
    PerWatt since{};
    SiteId site{};
  };
  /// Bills what a job has drawn since its account was opened.
  SiteAccount& bill(JobAccount& account);
  void settle(SiteAccount& site);
  Watts idle_of(const JobState& job) const;

  const Cluster& cluster_;
  std::vector<Tariff> tariffs_;     ///< indexed by SiteId
  std::vector<SiteAccount> sites_;  ///< indexed by SiteId
  PagedTable<JobAccount> jobs_;
  Time now_;
};

}  // namespace penstock
