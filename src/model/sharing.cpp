#include "model/sharing.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace penstock {
namespace {

template <class Q>
std::vector<Q> stretched(const std::vector<Q>& by_gpus, std::uint32_t share) {
  std::vector<Q> by_slices;
  for (const Q& entry : by_gpus)
    by_slices.insert(by_slices.end(), by_slices.empty() ? 1 : share, entry);
  return by_slices;
}

}  // namespace

GpuType slice_of(GpuType gpu, std::uint32_t share) {
  for (Watts* power : {&gpu.idle, &gpu.peak, &gpu.sleep}) *power = *power / share;
  gpu.memory_gib /= share;
  return gpu;
}

NodeTables by_slices(const NodeTables& by_gpus, std::uint32_t share) {
  return {.power = stretched(by_gpus.power, share), .rent = stretched(by_gpus.rent, share)};
}

Profile profile_by_slices(const Profile& by_gpus, const GpuType& slice, std::uint32_t share,
                          const Inflation& inflation) {
  PENSTOCK_CHECK(by_gpus.is_table());
  Profile profile = by_gpus;
  std::vector<double>& seconds = profile.epoch_seconds;
  seconds.assign(by_gpus.epoch_seconds.size() * share, 0);
  for (std::size_t i = 0; i < by_gpus.epoch_seconds.size(); ++i)
    seconds[(i + 1) * share - 1] = by_gpus.epoch_seconds[i];
  std::uint32_t part = share;
  for (std::size_t k = 1; k < inflation.size() && part > 1; ++k) {
    part /= 2;
    if (profile.memory_gib > 0 && profile.memory_gib <= part * slice.memory_gib)
      seconds[part - 1] = by_gpus.epoch_seconds.front() * inflation[k];
  }
  for (Watts* power :
       {&profile.power.p0, &profile.power.p1, &profile.power.p3, &profile.power.p1_sync})
    *power = *power / share;
  profile.gpus_most = static_cast<std::uint32_t>(seconds.size());
  return profile;
}

bool is_aligned(const Placement& where, std::uint32_t share) {
  const std::uint32_t slices = gpu_count(where);
  if (slices < share)
    return where.size() == 1 && std::has_single_bit(slices) &&
           where.front().first.index % slices == 0;
  return std::ranges::all_of(where, [&](const GpuRange& range) {
    return range.first.index % share == 0 && range.count % share == 0;
  });
}

}  // namespace penstock
