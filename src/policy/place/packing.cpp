#include "policy/place/packing.h"

#include <algorithm>

#include "base/check.h"

namespace penstock {

Packing::Packing(const Cluster& cluster, SiteId site, GpuTypeId type)
    : cluster_(&cluster),
      pool_(cluster, site, type, PlaceRule::buddy),
      capacity_(pool_.total()),
      holder_(cluster.gpu_count(), kNobody) {
  for (std::uint32_t i = 0; i < cluster.nodes.size(); ++i)
    if (pool_.holds(NodeId{i})) nodes_.push_back(NodeId{i});
}

const Placement* Packing::of(JobId job) const {
  const Held* held = held_.find(job.index);
  return held == nullptr ? nullptr : &held->where;
}

std::optional<JobId> Packing::holder(GpuId gpu) const {
  const std::uint32_t job = holder_[gpu.index];
  return job == kNobody ? std::nullopt : std::optional(JobId{job});
}

std::optional<Placement> Packing::place_instead(JobId job, std::uint32_t gpus) const {
  const Placement* own = of(job);
  return own == nullptr ? pool_.place(gpus) : pool_.place_instead(*own, gpus);
}

void Packing::mark(const Placement& where, std::uint32_t holder) {
  for (const GpuRange& range : where)
    std::fill_n(holder_.begin() + range.first.index, range.count, holder);
}

void Packing::take(JobId job, Placement where) {
  pool_.take(where);
  mark(where, job.index);
  Held& held = held_.insert(job.index);
  held.gpus = gpu_count(where);
  held.where = std::move(where);
}

void Packing::give(JobId job) {
  const Placement& where = held_.at(job.index).where;
  pool_.give(where);
  mark(where, kNobody);
  held_.erase(job.index);
}

void Packing::node_down(NodeId node) {
  pool_.node_down(node);
  capacity_ -= cluster_->node(node).gpus;
}

void Packing::node_up(NodeId node) {
  pool_.node_up(node);
  capacity_ += cluster_->node(node).gpus;
}

}  // namespace penstock
