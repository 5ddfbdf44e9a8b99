#include "report/savings.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace penstock {
namespace {

constexpr std::size_t kDraws = 1000;
constexpr std::size_t kFirstMean = 3;  ///< the measures before are sums

/// One measure of all jobs that have it, once per world.
struct Column {
  std::vector<double> happened{};
  std::vector<double> former{};
  std::vector<double> ours{};
};

Column column_of(std::span<const ComparedJob> jobs, std::size_t measure) {
  Column column;
  for (const ComparedJob& job : jobs) {
    if (!job.happened[measure] || !job.former[measure] || !job.ours[measure]) continue;
    column.happened.push_back(*job.happened[measure]);
    column.former.push_back(*job.former[measure]);
    column.ours.push_back(*job.ours[measure]);
  }
  return column;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Sums of as many jobs, drawn in blocks of neighbours: what follows each other shares a queue.
std::vector<double> drawn_sums(const std::vector<double>& gains) {
  const std::size_t jobs = gains.size();
  const auto block = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(jobs))));
  Rng rng = Rng(jobs).stream("savings");
  std::vector<double> sums(kDraws, 0);
  for (double& sum : sums)
    for (std::size_t drawn = 0; drawn < jobs;) {
      const std::size_t begin = rng.below(jobs);
      for (std::size_t i = 0; i < block && drawn < jobs; ++i, ++drawn)
        sum += gains[(begin + i) % jobs];
    }
  std::ranges::sort(sums);
  return sums;
}

Saving saving_of(const Column& column, double scale, double missed) {
  std::vector<double> gains(column.former.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = column.former[i] - column.ours[i];
  const std::vector<double> sums = drawn_sums(gains);
  const double former = total(column.former);
  Saving saving{.value = total(gains) * scale,
                .low = sums[kDraws / 40] * scale - missed,
                .high = sums[kDraws - 1 - kDraws / 40] * scale + missed};
  if (former > 0) saving.percent = 100 * saving.value / (former * scale);
  return saving;
}

}  // namespace

void compare(std::span<const ComparedJob> jobs, Savings& savings) {
  savings.jobs = jobs.size();
  for (std::size_t measure = 0; measure < kMeasureCount; ++measure) {
    const Column column = column_of(jobs, measure);
    const auto count = static_cast<double>(column.happened.size());
    if (count == 0) continue;
    const double scale = measure < kFirstMean ? 1 : 1 / count;
    const double happened = total(column.happened) * scale;
    savings.happened[measure] = happened;
    savings.former_would[measure] = total(column.former) * scale;
    savings.policy_would[measure] = total(column.ours) * scale;
    const double missed = *savings.replayed()[measure] - happened;
    if (happened > 0) savings.model_error[measure] = missed / happened;
    savings.saved[measure] = saving_of(column, scale, std::abs(missed));
  }
}

}  // namespace penstock
