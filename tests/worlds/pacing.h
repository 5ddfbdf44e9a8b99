#pragma once

#include <set>
#include <string>

#include "model/profile.h"
#include "worlds/run_segment.h"
#include "worlds/world.h"

namespace penstock {

/// How a job gets on in a stay, and whether it may run so, by the truth of the world.
class Pacing {
 public:
  Pacing(const World& world, const RunSegment& stay)
      : traced_(world.jobs[stay.job.index]),
        node_(world.cluster.node(stay.where.front().first)),
        type_(world.cluster.type(node_)),
        clock_mhz_(stay.clock_mhz),
        profile_(world.models.find(traced_.job, node_.type)),
        config_{.gpus = gpu_count(stay.where), .batch = stay.batch} {
    std::set<NodeId> nodes;
    for (const GpuRange& range : stay.where) nodes.insert(world.cluster.node_of[range.first.index]);
    config_.nodes = static_cast<std::uint32_t>(nodes.size());
    if (type_.max_clock_mhz > 0) config_.clock = double(clock_mhz_) / type_.max_clock_mhz;
  }

  Speed speed() const {
    return profile_ != nullptr ? Speed(throughput(*profile_, config_) / 1e3) : Speed(1);
  }
  /// Of each GPU.
  Watts draw() const {
    if (profile_ != nullptr) return penstock::draw(*profile_, config_) / config_.gpus;
    return type_.idle + traced_.load * (type_.peak - type_.idle);
  }

  /// What is wrong with running so, or nothing.
  std::string fault() const {
    const bool as_asked = config_.gpus == traced_.job.gpus && config_.batch == traced_.job.batch;
    if (profile_ == nullptr) {
      if (!as_asked) return "is rigid and does not get what it asked for";
      if (clock_mhz_ != type_.max_clock_mhz) return "is rigid and not at the highest clock";
      return "";
    }
    if (!clock_is_listed()) return "runs at a clock that its GPUs do not have";
    if (!as_asked && !is_in_range()) return "runs in a way that its profile does not allow";
    return "";
  }

 private:
  bool clock_is_listed() const {
    for (std::uint32_t mhz = type_.min_clock_mhz; mhz <= type_.max_clock_mhz;
         mhz += type_.clock_step_mhz)
      if (mhz == clock_mhz_) return true;
    return false;
  }

  bool is_in_range() const {
    if (profile_->is_table())  // one node, a size that was measured, whatever the batch
      return config_.nodes == 1 && config_.gpus >= 1 &&
             config_.gpus <= profile_->epoch_seconds.size() &&
             profile_->epoch_seconds[config_.gpus - 1] > 0;
    if (profile_->is_front())  // the GPUs of its pipeline, with the batch it has
      return config_.gpus == profile_->gpus_most && config_.batch == traced_.job.batch;
    const BatchRange& batch = profile_->batch;
    const double each = config_.batch / config_.gpus;
    if (config_.gpus == 0 || config_.gpus > profile_->gpus_most || each < 1) return false;
    if (!batch.accumulates && each > batch.local_most) return false;
    if (config_.batch == traced_.job.batch) return true;
    return profile_->noise.scale && config_.batch >= batch.least && config_.batch <= batch.most;
  }

  const TracedJob& traced_;
  const Node& node_;
  const GpuType& type_;
  std::uint32_t clock_mhz_;
  const Profile* profile_;
  Config config_;
};

}  // namespace penstock
