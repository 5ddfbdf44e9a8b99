#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace penstock {

/// A dense index that cannot be mistaken for another kind of index.
template <class Kind>
struct Id {
  std::uint32_t index = 0;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using JobId = Id<struct JobKindTag>;  ///< in order of submission
using NodeId = Id<struct NodeKindTag>;
using GpuId = Id<struct GpuKindTag>;
using SiteId = Id<struct SiteKindTag>;
using RackId = Id<struct RackKindTag>;
using GpuTypeId = Id<struct GpuTypeKindTag>;
using EpochsId = Id<struct EpochsKindTag>;  ///< of what is known about a job's epochs
using KindId = Id<struct KindKindTag>;      ///< of training: which models describe a job

/// Stands for no site: the home of a job that may start anywhere without sending files.
inline constexpr SiteId kNoSite{~0u};

}  // namespace penstock
