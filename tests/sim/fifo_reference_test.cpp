// Strict first come, first served, written down a second time and as plainly as
// possible, on worlds in which only the number of GPUs matters.
#include <gtest/gtest.h>

#include <vector>

#include "worlds/random_world.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

struct Times {
  Time start{};
  Time finish{};
};

/// A job starts once it is submitted, all before it have started, and the jobs
/// among them that still run leave it enough GPUs.
std::vector<Times> strict_fifo(const World& world) {
  std::vector<Times> times;
  Time earliest = world.start();
  for (const TracedJob& traced : world.jobs) {
    earliest = std::max(earliest, traced.job.submitted);
    while (true) {
      std::uint32_t busy = 0;
      Time next_finish = Time::max();
      for (std::size_t i = 0; i < times.size(); ++i)
        if (times[i].finish > earliest) {
          busy += world.jobs[i].job.gpus;
          next_finish = std::min(next_finish, times[i].finish);
        }
      if (busy + traced.job.gpus <= world.cluster.gpu_count()) break;
      earliest = next_finish;
    }
    times.push_back({earliest, earliest + std::min(traced.actual, traced.job.requested)});
  }
  return times;
}

TEST(StrictFifo, equals_the_reference_to_the_millisecond_on_3000_worlds) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const World world = one_pool_world(seed, Requests::mixed);
    const std::vector<Times> expected = strict_fifo(world);
    const RunLog log = run_logged(world, "fifo", {{"backfill", "none"}, {"place", "first-fit"}});
    ASSERT_EQ(log.ended.size(), expected.size()) << "world " << seed;
    for (const EndedJob& job : log.ended) {
      const Times& times = expected[job.job.index];
      ASSERT_EQ(job.first_start, times.start) << "job " << job.job.index << ", world " << seed;
      ASSERT_EQ(job.finish, times.finish) << "job " << job.job.index << ", world " << seed;
    }
  }
}

}  // namespace
}  // namespace penstock
