#include "io/traces/lublin.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace penstock {
namespace {

struct Gamma {
  double shape = 1;
  double scale = 1;
};

// Published for jobs of all kinds. Sizes:
constexpr double kSerial = 0.244;      // share of jobs of one processor
constexpr double kPowerOfTwo = 0.576;  // share of the others whose size is a power of two
constexpr double kLowest = 0.8;        // log2 of the smallest parallel size, before rounding
constexpr double kUpperStage = 2.5;    // how wide the upper stage is, in log2
constexpr double kLowerShare = 0.86;   // of the lower stage
// Natural logarithms of run times: the first with probability kSlope · size + kShare.
constexpr Gamma kShort{4.2, 0.94};
constexpr Gamma kLong{312, 0.03};
constexpr double kSlope = -0.0054;
constexpr double kShare = 0.78;
constexpr double kLongestLog = 12;  // two days
// Natural logarithms of gaps, and the day in half hours.
constexpr Gamma kGaps{10.2303, 0.4871};
constexpr double kWidestLog = 13;  // five days
constexpr Gamma kDailyCycle{8.1737, 3.9631};
constexpr std::size_t kDayBegins = 11;  // the half hour in which the day begins
constexpr double kHalfHour = 1800;

/// Marsaglia and Tsang 2000; shapes of at least one.
double draw(const Gamma& gamma, Rng& rng) {
  const double d = gamma.shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = rng.normal(0, 1);
    const double v = std::pow(1 + c * x, 3);
    const double u = 1 - rng.uniform();
    if (v > 0 && std::log(u) < x * x / 2 + d - d * v + d * std::log(v)) return d * v * gamma.scale;
  }
}

double density(const Gamma& gamma, double x) {
  if (!(x > 0)) return 0;
  return std::exp((gamma.shape - 1) * std::log(x) - x / gamma.scale - std::lgamma(gamma.shape) -
                  gamma.shape * std::log(gamma.scale));
}

/// Simpson's rule.
template <class Function>
double integral(double from, double to, int steps, const Function& function) {
  const double width = (to - from) / steps;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double left = from + i * width;
    sum += function(left) + 4 * function(left + width / 2) + function(left + width);
  }
  return sum * width / 6;
}

/// The chance that a logarithm is not refused, and the mean of the time times that chance.
struct TruncatedMean {
  double chance = 0;
  double time = 0;
};

TruncatedMean cut_at(const Gamma& gamma, double highest) {
  constexpr int kSteps = 2000;
  return {
      integral(0, highest, kSteps, [&](double x) { return density(gamma, x); }),
      integral(0, highest, kSteps, [&](double x) { return density(gamma, x) * std::exp(x); }),
  };
}

double chance_of_short(std::uint32_t size) {
  return std::clamp(kSlope * size + kShare, 0.0, 1.0);
}

}  // namespace

LublinModel::LublinModel(std::uint32_t machine)
    : machine_(machine), highest_(std::log2(machine)), middle_(highest_ - kUpperStage) {
  PENSTOCK_CHECK(machine >= kLeastMachine && machine <= kMostMachine);
  double sum = 0;
  for (std::size_t i = kDayBegins; i < kDayBegins + kBuckets; ++i) {
    const auto at = static_cast<double>(i);
    double& weight = weights_[i % kBuckets];
    weight = integral(at, at + 1, 8, [](double x) { return density(kDailyCycle, x); });
    sum += weight;
  }
  for (double& weight : weights_) weight *= kBuckets / sum;
}

std::uint32_t LublinModel::draw_size(Rng& rng) const {
  const double kind = rng.uniform();
  const double stage = rng.uniform();
  const double within = rng.uniform();
  const bool rounded = rng.uniform() < kPowerOfTwo;
  if (kind < kSerial) return 1;
  const bool lower = stage < kLowerShare;
  double log2_size =
      lower ? kLowest + within * (middle_ - kLowest) : middle_ + within * (highest_ - middle_);
  if (rounded) log2_size = std::round(log2_size);
  const auto size = static_cast<std::uint32_t>(std::lround(std::exp2(log2_size)));
  return std::min(size, machine_);
}

double LublinModel::draw_run_time(std::uint32_t size, Rng& rng) {
  const double chance = chance_of_short(size);
  double logarithm = 0;
  do logarithm = draw(rng.uniform() < chance ? kShort : kLong, rng);
  while (logarithm > kLongestLog);
  return std::exp(logarithm);
}

double LublinModel::draw_gap(Rng& rng) {
  double logarithm = 0;
  do logarithm = draw(kGaps, rng);
  while (logarithm > kWidestLog);
  return std::exp(logarithm);
}

double LublinModel::end_of_gap(double now, double gap) const {
  constexpr double kWholeDay = kHalfHour * kBuckets;
  const double days = std::floor(gap / kWholeDay);  // in a day the weights are 1 on average
  now += days * kWholeDay;
  gap -= days * kWholeDay;
  while (true) {
    const double bucket = std::floor(now / kHalfHour);
    const double weight = weights_[static_cast<std::size_t>(std::fmod(bucket, kBuckets))];
    const double left = (bucket + 1) * kHalfHour - now;
    if (gap <= left * weight) return now + gap / weight;
    gap -= left * weight;
    now = (bucket + 1) * kHalfHour;
  }
}

double LublinModel::mean_gap() {
  const TruncatedMean gaps = cut_at(kGaps, kWidestLog);
  return gaps.time / gaps.chance;
}

double LublinModel::chance_below(double log2_size) const {
  const double x = std::clamp(log2_size, kLowest, highest_);
  if (x < middle_) return kLowerShare * (x - kLowest) / (middle_ - kLowest);
  return kLowerShare + (1 - kLowerShare) * (x - middle_) / (highest_ - middle_);
}

double LublinModel::chance_of(std::uint32_t size) const {
  // Rounding takes what lies within a half, and the machine cuts off what lies above it.
  const auto between = [&](double low, double high) {
    return chance_below(high) - chance_below(low);
  };
  const bool last = size == machine_;
  const double exact = between(std::log2(size - 0.5), last ? highest_ : std::log2(size + 0.5));
  double power = 0;
  if (last) power = between(std::ceil(highest_) - 0.5, highest_);
  if (!last && (size & (size - 1)) == 0)
    power = between(std::log2(size) - 0.5, std::log2(size) + 0.5);
  const double parallel = kPowerOfTwo * power + (1 - kPowerOfTwo) * exact;
  return (1 - kSerial) * parallel + (size == 1 ? kSerial : 0);
}

double LublinModel::mean_work() const {
  const TruncatedMean brief = cut_at(kShort, kLongestLog);
  const TruncatedMean extended = cut_at(kLong, kLongestLog);
  double mean = 0;
  for (std::uint32_t size = 1; size <= machine_; ++size) {
    const double p = chance_of_short(size);
    const double kept = p * brief.chance + (1 - p) * extended.chance;
    mean += chance_of(size) * static_cast<double>(size) *
            (p * brief.time + (1 - p) * extended.time) / kept;
  }
  return mean;
}

}  // namespace penstock
