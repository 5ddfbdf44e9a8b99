#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "worlds/replay.h"
#include "worlds/run_log.h"

namespace penstock {

/// All stays of a job together do the work that is due: rigid jobs exactly, others up to
/// what is done in the millisecond in which they end.
inline void expect_work_done(const World& world, const Replay& replay, JobId job) {
  Work done{};
  Speed last{};
  for (const RunSegment& stay : replay.stays_of(job)) {
    done += stay.kept;
    last = stay.speed;
  }
  const Work due = world.due(job);
  if (!world.jobs[job.index].job.kind_id) {
    EXPECT_EQ(done, due) << "job " << job.index;
    return;
  }
  const Work rounding = due * 1e-9;
  EXPECT_GE(done, due - rounding) << "job " << job.index;
  EXPECT_LE(done, due + rounding + last * Duration(1)) << "job " << job.index;
}

inline std::uint32_t count_ends(const std::vector<RunSegment>& stays, RunSegment::End end) {
  return static_cast<std::uint32_t>(std::ranges::count(stays, end, &RunSegment::end));
}

/// What is told of a job that has ended is what became of it.
inline void expect_recorded(const World& world, const Replay& replay, const EndedJob& job) {
  const std::vector<RunSegment> stays = replay.stays_of(job.job);
  ASSERT_FALSE(stays.empty());
  double held = 0;
  double gpus = 0;
  double clock = 0;
  for (const RunSegment& stay : stays) {
    const auto time = static_cast<double>((stay.to - stay.from).count());
    held += time;
    gpus += time * gpu_count(stay.where);
    clock += time * stay.clock_mhz;
  }
  SCOPED_TRACE(testing::Message() << "job " << job.job.index);
  EXPECT_EQ(job.outcome, world.kills(job.job) ? Outcome::killed : Outcome::completed);
  EXPECT_EQ(job.first_start, stays.front().from);
  EXPECT_EQ(job.finish, stays.back().to);
  EXPECT_EQ(static_cast<double>(job.held.count()), held);
  EXPECT_NEAR(job.gpus_mean, gpus / held, 1e-9 * job.gpus_mean);
  EXPECT_NEAR(job.clock_mean_mhz, clock / held, 1e-9 * job.clock_mean_mhz);
  EXPECT_EQ(job.where, stays.back().where);
  EXPECT_EQ(job.site, world.cluster.node(job.where.front().first).site);
  EXPECT_EQ(job.preemptions, count_ends(stays, RunSegment::End::preempted));
  EXPECT_EQ(job.interruptions, count_ends(stays, RunSegment::End::interrupted));
  EXPECT_EQ(job.resizes, count_ends(stays, RunSegment::End::resized));
  EXPECT_EQ(job.migrations, count_ends(stays, RunSegment::End::migrated));
  EXPECT_EQ(count_ends(stays, RunSegment::End::finished), 1u);
}

}  // namespace penstock
