#pragma once

#include <array>
#include <cstdint>

#include "model/cluster.h"
#include "model/placement.h"
#include "model/profile.h"

namespace penstock {

// Where GPUs are shared, devices are slices of them, Cluster::share to a GPU. A job has a part of
// one GPU, a power of two of slices, or whole GPUs.

/// How many times as long an epoch takes on a part of a GPU as on the whole: entry k is for the
/// 2^k-th part, 0 if such parts are not given away.
using Inflation = std::array<double, 4>;

/// ANDREAS's largest, for halves and quarters.
inline constexpr Inflation kUsualInflation = {1, 1.05, 1.11, 0};

/// One of `share` slices of a GPU: its part of watts and memory.
GpuType slice_of(GpuType gpu, std::uint32_t share);

/// What a node costs by used slices, from what it costs by used GPUs: a GPU is used if any slice
/// of it is, and parts are taken to lie on as few GPUs as they can, which powers of two allow.
NodeTables by_slices(const NodeTables& by_gpus, std::uint32_t share);

/// A table of times by slices from one by GPUs. Parts of a GPU are in it if they have an inflation
/// and the memory that the training needs, which must be known.
Profile profile_by_slices(const Profile& by_gpus, const GpuType& slice, std::uint32_t share,
                          const Inflation& inflation);

/// Is it a part of one GPU, a power of two of slices that begins at a multiple of itself, or whole
/// GPUs? Its ranges must be devices that there are.
bool is_aligned(const Placement& where, std::uint32_t share);

}  // namespace penstock
