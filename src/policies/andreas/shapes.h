#pragma once

#include <vector>

#include "policy/policy.h"

namespace penstock {

/// In which sizes a job may run on one node, for each GPU type of a cluster.
class Shapes {
 public:
  explicit Shapes(const Cluster& cluster);

  /// Sizes worth a thought on the largest node of a type: parts of a GPU, up to eight GPUs, and
  /// powers of two beyond; in increasing order.
  const std::vector<std::uint32_t>& sizes(GpuTypeId type) const { return sizes_[type.index]; }
  std::uint32_t largest_node(GpuTypeId type) const { return largest_[type.index]; }

  /// Those of them in which this job runs, and the size it asked for.
  std::vector<std::uint32_t> sizes_for(const Job& job, GpuTypeId type, const Models& models) const;

  /// Does no single node hold the job, whatever it may shrink to; or is it on several?
  bool is_wide(const JobState& state, const View& view) const;

 private:
  std::vector<std::uint32_t> largest_;             ///< by type
  std::vector<std::vector<std::uint32_t>> sizes_;  ///< by type
};

}  // namespace penstock
