#include "engine/transfers.h"

namespace penstock {

Transfers::Transfers(const Cluster& cluster, std::span<const SiteSignals> signals)
    : network_(cluster.network), signals_(signals), sites_(cluster.sites.size()) {}

void Transfers::send(const JobState& job, SiteId to, Time now) {
  const double gigabytes = job.gigabytes();
  const SiteSignals& here = signals_[job.at.index];
  TransferBill bill{.count = 1,
                    .gigabytes = gigabytes,
                    .energy = network_.energy_per_gigabyte * gigabytes,
                    .fee = network_.fee(job.at, to, gigabytes)};
  bill.cost = bill.energy * here.price.at(now);
  bill.carbon = bill.energy * here.carbon.at(now);
  sites_[job.at.index] += bill;
  TransferBill* all = jobs_.find(job.job.id.index);
  if (all == nullptr) all = &jobs_.insert(job.job.id.index, {});
  *all += bill;
}

TransferBill Transfers::take(JobId job) {
  const TransferBill* all = jobs_.find(job.index);
  if (all == nullptr) return {};
  const TransferBill bill = *all;
  jobs_.erase(job.index);
  return bill;
}

}  // namespace penstock
