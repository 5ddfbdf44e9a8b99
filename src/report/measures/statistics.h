#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace penstock {

/// The spread of many values, none negative, in memory that does not grow with
/// their number. Up to `kExact` values are kept as they are; from then on they are
/// counted in buckets, and a percentile is off by at most 0.05 % of itself. Count,
/// mean, smallest and largest are always exact. Milliseconds for durations,
/// nanoseconds for decision times: the unit is the caller's.
class Quantiles {
 public:
  static constexpr std::size_t kExact = std::size_t{1} << 17;

  void add(std::int64_t value);

  std::uint64_t count() const { return count_; }
  std::optional<double> mean() const;

  /// Nearest rank: the smallest value that is not exceeded by at least `percent`
  /// percent of all values; of 20 values the 19th is the 95th percentile. Nothing
  /// if there are no values. `percent` is 1 to 100.
  std::optional<std::int64_t> percentile(unsigned percent) const;

 private:
  void fold();
  void count_in_bucket(std::int64_t value);
  std::int64_t from_buckets(std::uint64_t rank) const;

  std::vector<std::int64_t> values_;    ///< empty once folded
  std::vector<std::uint64_t> buckets_;  ///< empty until folded
  std::uint64_t count_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t smallest_ = 0;
  std::int64_t largest_ = 0;
};

/// A mean and half the width of its 95 % confidence interval by Student's t; 0 for fewer than two.
struct Spread {
  double mean = 0;
  double half = 0;
};

Spread spread_of(std::span<const double> values);

/// How much smaller or larger one method's values are than another's on the same occasions, as
/// parts: -0.1 is ten percent less.
struct PairedChange {
  double of_mean = 0;    ///< mean by mean
  double low = 0;        ///< 95 % interval of `of_mean`: occasions drawn anew, in pairs
  double high = 0;       ///< the same as `low` and `of_mean` if there is one occasion only
  double of_middle = 0;  ///< geometric mean of the ratios: what a typical occasion sees
};

/// Both have as many values, at least one, all above 0. The draws are seeded: same values, same
/// interval.
PairedChange paired_change(std::span<const double> ours, std::span<const double> theirs);

}  // namespace penstock
