#include "fit/belief_error.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace penstock {
namespace {

constexpr std::uint32_t kNodeGpus = 8;
constexpr std::uint32_t kMostGpus = 16;

std::vector<Config> grid_of(const Profile& profile) {
  std::vector<Config> grid;
  for (std::uint32_t gpus = 1; gpus <= profile.epoch_seconds.size(); ++gpus)
    if (runs(profile, {.gpus = gpus})) grid.push_back({.gpus = gpus});
  if (profile.is_table()) return grid;
  for (std::uint32_t gpus = 1; gpus <= std::min(profile.gpus_most, kMostGpus); gpus *= 2) {
    const double most = std::min(profile.batch.most, profile.batch.local_most * gpus);
    const double least = std::max(profile.batch.least, 1.0 * gpus);
    if (least > most) continue;
    for (const double batch : {least, std::sqrt(least * most), most})
      for (const double clock : {0.5, 0.6, 0.7, 0.85, 1.0})
        grid.push_back({.gpus = gpus,
                        .nodes = (gpus + kNodeGpus - 1) / kNodeGpus,
                        .batch = batch,
                        .clock = clock});
  }
  return grid;
}

}  // namespace

BeliefError belief_error(const Profile& believed, const Profile& truth) {
  BeliefError sum;
  const std::vector<Config> grid = grid_of(truth);
  for (const Config& config : grid) {
    sum.throughput += std::abs(throughput(believed, config) / throughput(truth, config) - 1);
    sum.draw += std::abs(draw(believed, config) / draw(truth, config) - 1);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(grid.size(), 1));
  return {sum.throughput / count, sum.draw / count};
}

}  // namespace penstock
