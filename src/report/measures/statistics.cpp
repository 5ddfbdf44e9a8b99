#include "report/measures/statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/rng.h"

namespace penstock {

// Percentiles

namespace {

// Each power of two is cut into 1024 buckets of one width, so the middle of a
// bucket is within 1/2048 of every value in it. Values below 2048 are exact.
constexpr int kBits = 10;
constexpr std::uint64_t kPerOctave = 1u << kBits;

std::size_t bucket_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const int octave = std::max(0, static_cast<int>(std::bit_width(bits)) - kBits - 1);
  return static_cast<std::size_t>(static_cast<std::uint64_t>(octave) * kPerOctave +
                                  (bits >> octave));
}

std::int64_t middle_of(std::size_t bucket) {
  const std::uint64_t octave = bucket < 2 * kPerOctave ? 0 : bucket / kPerOctave - 1;
  const std::uint64_t lowest = (bucket - octave * kPerOctave) << octave;
  const std::uint64_t width = std::uint64_t{1} << octave;
  return static_cast<std::int64_t>(lowest + (width - 1) / 2);
}

}  // namespace

void Quantiles::add(std::int64_t value) {
  PENSTOCK_CHECK(value >= 0);
  smallest_ = count_ == 0 ? value : std::min(smallest_, value);
  largest_ = std::max(largest_, value);
  sum_ += value;
  ++count_;
  if (count_ == kExact + 1) fold();
  if (count_ <= kExact)
    values_.push_back(value);
  else
    count_in_bucket(value);
}

void Quantiles::fold() {
  for (const std::int64_t value : values_) count_in_bucket(value);
  values_ = {};
}

void Quantiles::count_in_bucket(std::int64_t value) {
  const std::size_t bucket = bucket_of(value);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
}

std::optional<double> Quantiles::mean() const {
  if (count_ == 0) return std::nullopt;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

std::optional<std::int64_t> Quantiles::percentile(unsigned percent) const {
  PENSTOCK_CHECK(percent >= 1 && percent <= 100);
  if (count_ == 0) return std::nullopt;
  const std::uint64_t rank = (percent * count_ + 99) / 100;  // from 1
  if (values_.empty()) return from_buckets(rank);
  std::vector<std::int64_t> values = values_;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::ranges::nth_element(values, nth);
  return *nth;
}

std::int64_t Quantiles::from_buckets(std::uint64_t rank) const {
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while (seen + buckets_[bucket] < rank) seen += buckets_[bucket++];
  return std::clamp(middle_of(bucket), smallest_, largest_);
}

// Means with their confidence

Spread spread_of(std::span<const double> values) {
  // Student's t, two-sided 95 %, by degrees of freedom.
  constexpr std::array kT{0.0,   12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                          2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
  Spread spread;
  const auto count = static_cast<double>(values.size());
  if (values.empty()) return spread;
  for (const double value : values) spread.mean += value / count;
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += std::pow(value - spread.mean, 2);
  const double t = values.size() - 1 < kT.size() ? kT[values.size() - 1] : 1.96 + 2.4 / count;
  spread.half = t * std::sqrt(squares / (count - 1) / count);
  return spread;
}

// Paired comparisons

namespace {

constexpr std::size_t kPairDraws = 4000;

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
  draws.reserve(kPairDraws);
  for (std::size_t i = 0; i < kPairDraws; ++i) draws.push_back(drawn_change(ours, theirs, rng));
  std::ranges::sort(draws);
  return {.of_mean = above / below - 1,
          .low = draws[kPairDraws / 40],
          .high = draws[kPairDraws - 1 - kPairDraws / 40],
          .of_middle = std::exp(logs / static_cast<double>(ours.size())) - 1};
}

}  // namespace penstock
