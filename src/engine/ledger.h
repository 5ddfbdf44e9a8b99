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
  Bill jobs{};      ///< GPUs while a job holds them; with a table, nodes while a job is on them
  Bill idle{};      ///< GPUs that no job holds, asleep or awake
  Bill overhead{};  ///< the nodes around the GPUs; with a table, unused nodes
  Bill total() const { return jobs + idle + overhead; }
};

/// What a job pays, by what it depends on.
struct JobCost {
  Money drawn{};      ///< for what its own GPUs drew
  Money by_tables{};  ///< its part of nodes with tables, rent included
};

/// Keeps the bill of a run, lazily and exactly: draw is constant between two
/// changes, so a job is billed when it changes and the rest of a site when its
/// idle draw changes. Every figure includes the site's PUE, but for rent.
///
/// A node with a table costs what the table says for the number of its GPUs that are held, and
/// its jobs share that by their GPUs. It has a meter of what one held GPU has cost so far, which
/// moves when the number changes; a job pays the difference of two readings for each GPU.
class Ledger {
 public:
  Ledger(const Cluster& cluster, std::span<const SiteSignals> signals, Time start);

  /// Moves to the present instant; `now` must not go back.
  void advance(Time now);
  /// Replaces the signals from now on; earlier bills stay as they are.
  void follow(std::span<const SiteSignals> signals);

  /// `draw` is of all its GPUs alike; those on nodes with a table of power do not count.
  void job_started(const JobState& job, Watts draw);
  /// Bills a job by the draw that was measured since it was last billed.
  void job_drew(const JobState& job, Watts draw);
  /// A job goes on with the same GPUs at another draw.
  void job_changed(const JobState& job, Watts draw);
  /// Closes the account of a job's present run and frees its GPUs.
  void job_stopped(const JobState& job);
  /// A node went from one phase to another; all its GPUs are free.
  void node_changed(NodeId node, NodePhase from, NodePhase to);

  /// Brings idle draw up to date; call before reading the bills.
  void settle();
  /// What a job has been billed until it last started, changed or stopped.
  JobCost billed(JobId job) const;
  /// What a job has been billed in the runs it has stopped; forgets it.
  Bill take(JobId job);
  const SiteBill& site(SiteId id) const { return sites_[id.index].bill; }
  /// What all sites have used until now, runs that go on included.
  Bill so_far() const;
  /// What all sites have used until now; what each of them has used is written to `by_site`.
  Bill so_far(std::span<Bill> by_site) const;
  /// GPUs times the time that jobs have held them, runs that go on not included.
  Duration gpu_time(SiteId id) const { return sites_[id.index].gpu_time; }
  /// What a site draws at this moment, PUE not included.
  Watts load(SiteId id) const;

 private:
  /// Power and rent at one instant.
  struct Load {
    Watts power{};
    MoneyRate rent{};
  };
  /// A stretch of time that ends now, and what one watt has used in it.
  struct Span {
    PerWatt per_watt{};
    Duration time{};
  };
  /// A load that rises and falls; exactly 0 again once all parts are taken off.
  class LoadSum {
   public:
    Load load() const { return {Watts(power_.value()), MoneyRate(rent_.value())}; }
    LoadSum& operator+=(const Load& part) { return add(part, 1); }
    LoadSum& operator-=(const Load& part) { return add(part, -1); }

   private:
    LoadSum& add(const Load& part, double sign) {
      power_ += sign * part.power.value();
      rent_ += sign * part.rent.value();
      return *this;
    }
    TwoPartSum power_;
    TwoPartSum rent_;
  };
  /// The sum of bills since some instant, to be subtracted from a later one.
  struct BillSum {
    TwoPartSum energy, cost, carbon, rent;
    void add(const Bill& bill);
    void add(const BillSum& other);
    friend Bill operator-(const BillSum& a, const BillSum& b) {
      return {Joules(a.energy - b.energy), Money(a.cost - b.cost), GramsCo2(a.carbon - b.carbon),
              Money(a.rent - b.rent)};
    }
  };
  struct SiteAccount {
    SiteBill bill{};
    Tariff tariff;
    Tariff::Reading now;      ///< at the present instant
    Tariff::Reading settled;  ///< when idle and overhead were last billed
    LoadSum idle{};
    LoadSum overhead{};
    LoadSum jobs{};
    Bill metered{};  ///< all three, until `settled`
    Duration gpu_time{};
  };
  struct JobAccount {
    Bill bill{};
    Money drawn{};  ///< the part of the bill that follows its own draw
    Watts draw{};   ///< of its GPUs on nodes without a table of power
    Tariff::Reading since{};
    BillSum meters{};  ///< of the nodes it is on, as read when it was last billed
    SiteId site{};
  };
  /// Of a node with tables.
  struct NodeMeter {
    BillSum per_gpu{};  ///< what a GPU held by a job has cost until then
    Tariff::Reading read{};
    std::uint32_t used = 0;
  };
  /// Bills a job from when that was last done, or it started, until now.
  SiteAccount& bill(const JobState& job, JobAccount& account);
  void settle(SiteAccount& site);
  static Span span_since(const SiteAccount& site, const Tariff::Reading& since);
  static Bill bill_of(const Load& load, const Span& span);
  static Load load(const SiteAccount& site);
  static Bill unsettled(const SiteAccount& site);

  /// GPUs of a place whose draw is their own, not in a table.
  std::uint32_t own_gpus(const Placement& where) const;
  Watts own_draw(const JobState& job, Watts draw) const;
  Watts idle_of(const JobState& job) const;

  // Nodes with tables. The account of their site must be settled.
  void bring_up_to_date(NodeMeter& meter, const Node& node) const;
  /// The meters of the nodes of a place, for all GPUs of the place.
  BillSum read_meters(const Placement& where);
  void hold(const Placement& where);
  void release(const Placement& where);
  void use(NodeId id, std::uint32_t used);

  const Cluster& cluster_;
  std::vector<SiteAccount> sites_;  ///< indexed by SiteId
  std::vector<NodeMeter> meters_;   ///< indexed by NodeId; empty if no node has tables
  PagedTable<JobAccount> jobs_;
  Time now_;
};

}  // namespace penstock
