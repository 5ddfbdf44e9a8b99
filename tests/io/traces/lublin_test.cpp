#include "io/traces/lublin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "io/traces/generate.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr int kLublinMany = 100'000;

struct Moments {
  double gap = 0;
  double size = 0;
  double run_time = 0;
  double work = 0;
  std::map<std::uint32_t, int> sizes{};
};

Moments drawn_by_lublin(std::uint32_t machine) {
  const LublinModel model(machine);
  Rng rng(7);
  Moments sums;
  for (int i = 0; i < kLublinMany; ++i) {
    const std::uint32_t size = model.draw_size(rng);
    const double run_time = LublinModel::draw_run_time(size, rng);
    sums.gap += LublinModel::draw_gap(rng) / kLublinMany;
    sums.size += static_cast<double>(size) / kLublinMany;
    sums.run_time += run_time / kLublinMany;
    sums.work += size * run_time / kLublinMany;
    ++sums.sizes[size];
  }
  return sums;
}

TEST(Lublin, draws_have_the_means_that_it_states) {
  for (const std::uint32_t machine : {16u, 100u, 256u, 1300u}) {
    const LublinModel model(machine);
    const Moments sums = drawn_by_lublin(machine);
    EXPECT_NEAR(sums.work, model.mean_work(), 0.04 * model.mean_work());
    EXPECT_NEAR(sums.gap, LublinModel::mean_gap(), 0.06 * LublinModel::mean_gap());
  }
}

TEST(Lublin, a_machine_of_256_processors_gets_the_known_mixture) {
  const Moments sums = drawn_by_lublin(256);
  EXPECT_NEAR(sums.size, 21.8, 0.5);
  EXPECT_NEAR(sums.run_time, 4900, 150);
  EXPECT_NEAR(sums.sizes.at(1), 0.244 * kLublinMany, 0.01 * kLublinMany);
  int powers = 0;
  for (const auto& [size, count] : sums.sizes)
    if (size > 1 && (size & (size - 1)) == 0) powers += count;
  EXPECT_GT(powers, 0.576 * 0.756 * kLublinMany);  // others hit a power of two by chance
  EXPECT_EQ(sums.sizes.rbegin()->first, 256u);
}

TEST(Lublin, large_jobs_run_longer) {
  Rng rng(7);
  double small = 0;
  double large = 0;
  for (int i = 0; i < 10'000; ++i) {
    small += LublinModel::draw_run_time(1, rng);
    large += LublinModel::draw_run_time(128, rng);
  }
  EXPECT_GT(large, 2 * small);
}

TEST(Lublin, a_gap_of_a_day_ends_a_day_later_and_short_ones_pass_faster_at_noon) {
  const LublinModel model(256);
  const double noon = 12 * 3600;
  const double night = 4 * 3600;
  EXPECT_NEAR(model.end_of_gap(noon, 86'400), noon + 86'400, 1e-6);
  EXPECT_NEAR(model.end_of_gap(noon, 43'200 + 86'400), 86'400 + model.end_of_gap(noon, 43'200),
              1e-6);
  EXPECT_LT(model.end_of_gap(noon, 600) - noon, 600);
  EXPECT_GT(model.end_of_gap(night, 600) - night, 3 * 600);
}

TEST(Lublin, the_generator_stretches_gaps_to_the_mean_that_was_asked_for) {
  const GeneratorSpec spec{.jobs = 50'000, .seed = 1, .mean_gap = 5min, .lublin_machine = 64};
  const Trace trace = generate(spec);
  const Duration span = trace.jobs.back().job.submitted - trace.jobs.front().job.submitted;
  EXPECT_NEAR(seconds(span) / 49'999, 300, 30);
  for (const TracedJob& traced : trace.jobs) ASSERT_LE(traced.job.gpus, 64u);
}

TEST(Lublin, a_machine_must_be_large_enough_to_have_two_stages) {
  const auto small = check(GeneratorSpec{.lublin_machine = 15});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().message, "machine: must be between 16 and 1048576");
}

}  // namespace
}  // namespace penstock
