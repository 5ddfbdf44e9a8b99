#include "report/paired_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/rng.h"

namespace penstock {
namespace {

constexpr std::size_t kDraws = 4000;

double drawn_change(std::span<const double> ours, std::span<const double> theirs, Rng& rng) {
  double above = 0;
  double below = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::uint64_t at = rng.below(ours.size());
    above += ours[at];
    below += theirs[at];
  }
  return above / below - 1;
}

}  // namespace

PairedChange paired_change(std::span<const double> ours, std::span<const double> theirs) {
  PENSTOCK_CHECK(!ours.empty() && ours.size() == theirs.size());
  double above = 0;
  double below = 0;
  double logs = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    above += ours[i];
    below += theirs[i];
    logs += std::log(ours[i] / theirs[i]);
  }
  Rng rng(1);
  std::vector<double> draws;
  draws.reserve(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) draws.push_back(drawn_change(ours, theirs, rng));
  std::ranges::sort(draws);
  return {.of_mean = above / below - 1,
          .low = draws[kDraws / 40],
          .high = draws[kDraws - 1 - kDraws / 40],
          .of_middle = std::exp(logs / static_cast<double>(ours.size())) - 1};
}

}  // namespace penstock
