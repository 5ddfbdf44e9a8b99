#include "policies/elastic/gpu_choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "policies/elastic/pollux.h"

namespace penstock {
namespace {

TEST(GpuChoices, the_best_give_a_gpu_to_whom_it_is_worth_most) {
  // A second GPU is worth 1 to the first job, 0.25 to the second.
  const std::vector<GpuChoices> jobs{{{0, -9}, {1, -2}, {2, -1}}, {{0, -9}, {1, -1.25}, {2, -1}}};
  for (const auto& choose : {best_choices, steepest_choices}) {
    EXPECT_EQ(choose(jobs, 4), (ChosenGpus{2, 2}));
    EXPECT_EQ(choose(jobs, 3), (ChosenGpus{2, 1}));
    EXPECT_EQ(choose(jobs, 2), (ChosenGpus{1, 1}));
    EXPECT_EQ(choose(jobs, 1), (ChosenGpus{0, 1}));
    EXPECT_EQ(choose(jobs, 0), (ChosenGpus{0, 0}));
  }
}

TEST(GpuChoices, of_equal_jobs_the_earlier_ones_get_what_there_is) {
  const std::vector<GpuChoices> jobs(5, GpuChoices{{0, -1000.1}, {1, -1 / 3.}});
  for (const auto& choose : {best_choices, steepest_choices})
    EXPECT_EQ(choose(jobs, 3), (ChosenGpus{1, 1, 1, 0, 0}));
}

TEST(GpuChoices, a_job_that_needs_more_than_there_is_has_none) {
  const std::vector<GpuChoices> jobs{{{0, -9}, {6, -1}}, {{0, -2}, {1, -1}}};
  for (const auto& choose : {best_choices, steepest_choices}) {
    EXPECT_EQ(choose(jobs, 5), (ChosenGpus{0, 1}));
    EXPECT_EQ(choose(jobs, 6), (ChosenGpus{1, 0}));
  }
}

TEST(GpuChoices, steps_that_leave_gpus_over_give_them_away) {
  // Along the hull the first job goes from 1 to 4 at once, which does not fit.
  const std::vector<GpuChoices> jobs{{{0, 0}, {1, 10}, {2, 11}, {4, 19}}, {{0, 0}, {1, 10}}};
  EXPECT_EQ(steepest_choices(jobs, 3), (ChosenGpus{2, 1}));
}

/// Jobs as Pollux sees them: concave goodputs, and a loss for every number of GPUs but one.
class ChoiceDice {
 public:
  explicit ChoiceDice(std::uint64_t seed) : rng_(Rng(seed).stream("choices")) {}

  std::vector<GpuChoices> roll(std::uint32_t jobs, std::uint32_t gpus) {
    std::vector<GpuChoices> all(jobs);
    for (GpuChoices& choices : all) {
      choices.push_back({0, fitness_of(0, -1)});
      const double serial = 0.3 * rng_.uniform();
      const double fair = std::max(1.0, double(gpus) / jobs);
      const double penalty = rng_.uniform() < 0.5 ? 1 : rng_.uniform();
      const std::uint32_t now = 1u << rng_.below(4);
      for (std::uint32_t n = 1; n <= std::min(gpus, 32u); n *= 2) {
        const double speedup = (serial + (1 - serial) / fair) / (serial + (1 - serial) / n);
        choices.push_back({n, fitness_of(speedup * (n == now ? 1 : penalty), -1)});
      }
    }
    return all;
  }

 private:
  Rng rng_;
};

/// The harmonic mean of speedups, which is Pollux's fitness.
double mean_speedup(const std::vector<GpuChoices>& jobs, const ChosenGpus& chosen) {
  double sum = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) sum -= jobs[i][chosen[i]].value;
  return static_cast<double>(jobs.size()) / sum;
}

std::uint32_t gpus_of(const std::vector<GpuChoices>& jobs, const ChosenGpus& chosen) {
  std::uint32_t gpus = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) gpus += jobs[i][chosen[i]].gpus;
  return gpus;
}

double best_of_all(const std::vector<GpuChoices>& jobs, std::uint32_t gpus) {
  ChosenGpus chosen(jobs.size(), 0);
  double best = 0;
  for (;;) {
    if (gpus_of(jobs, chosen) <= gpus) best = std::max(best, mean_speedup(jobs, chosen));
    std::size_t i = 0;
    while (i < jobs.size() && ++chosen[i] == jobs[i].size()) chosen[i++] = 0;
    if (i == jobs.size()) return best;
  }
}

TEST(GpuChoices, the_best_are_those_that_trying_all_finds) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto gpus = static_cast<std::uint32_t>(4 + seed % 13);
    const auto jobs = ChoiceDice(seed).roll(static_cast<std::uint32_t>(2 + seed % 4), gpus);
    const ChosenGpus chosen = best_choices(jobs, gpus);
    ASSERT_LE(gpus_of(jobs, chosen), gpus);
    ASSERT_NEAR(mean_speedup(jobs, chosen), best_of_all(jobs, gpus), 1e-9) << "seed " << seed;
  }
}

TEST(GpuChoices, the_steepest_are_within_one_percent_of_the_best) {
  double worst = 1;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto jobs = ChoiceDice(seed).roll(static_cast<std::uint32_t>(20 + seed), 128);
    const ChosenGpus chosen = steepest_choices(jobs, 128);
    ASSERT_LE(gpus_of(jobs, chosen), 128u);
    const double part = mean_speedup(jobs, chosen) / mean_speedup(jobs, best_choices(jobs, 128));
    worst = std::min(worst, part);
    sum += part;
  }
  EXPECT_GT(worst, 0.99);
  EXPECT_GT(sum / 100, 0.999);
}

}  // namespace
}  // namespace penstock
