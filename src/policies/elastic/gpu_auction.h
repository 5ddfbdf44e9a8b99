#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/elastic/gpu_choices.h"

namespace penstock {

/// What a job could have in one pool.
struct PoolChoices {
  std::uint32_t pool = 0;
  GpuChoices choices{};
};

/// A job that bids for GPUs of several pools, no pool twice, and gets them of one.
using GpuBidder = std::vector<PoolChoices>;

struct GpuAward {
  std::uint32_t bid = 0;   ///< the place of its pool among those it bids for
  std::uint32_t gpus = 0;  ///< none if it waits; then `bid` is where it came closest to any
};

/// Divides the GPUs of several pools, so many in each, among jobs for nearly the most value
/// together, by an ascending auction: all GPUs of a pool have one price, which rises as long as
/// jobs ask for more than there are; each job asks for what is worth most to it beyond the price,
/// in one of its pools. GPUs that are left over when a large job leaves go to whom they are worth
/// most. Of few jobs, single ones and pairs then change pools where that is worth more. Of equal
/// jobs the earlier ones have more. Needs O(choices log jobs) and a few thousand bids.
std::vector<GpuAward> auction_gpus(std::span<const GpuBidder> bidders,
                                   std::span<const std::uint32_t> gpus);

}  // namespace penstock
