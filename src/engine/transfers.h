#pragma once

#include <span>
#include <vector>

#include "base/paged_table.h"
#include "model/bill.h"
#include "model/site_signals.h"
#include "model/state.h"

namespace penstock {

/// The bill of files that are sent between sites. Each transfer is billed once, when it begins, at
/// the price and the carbon intensity that the sender has then.
class Transfers {
 public:
  /// Both must outlive it.
  Transfers(const Cluster& cluster, std::span<const SiteSignals> signals);

  /// `job` is about to leave the site where it is.
  void send(const JobState& job, SiteId to, Time now);

  const TransferBill& from(SiteId site) const { return sites_[site.index]; }
  /// Of one job; forgets it.
  TransferBill take(JobId job);

 private:
  const Network& network_;
  std::span<const SiteSignals> signals_;
  std::vector<TransferBill> sites_;  ///< indexed by SiteId
  PagedTable<TransferBill> jobs_;    ///< of those that were sent
};

}  // namespace penstock
