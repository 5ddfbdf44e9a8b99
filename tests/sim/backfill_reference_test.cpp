// Backfilling as the textbook has it, in quadratic time, compared start by start
// with the product; and the promises that backfilling makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "worlds/random_world.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

/// Smaller goes first; from a job, the present and the start of the run.
using Score = std::function<double(const Job&, Time now, Time start)>;

double by_submission(const Job& job, Time /*now*/, Time start) {
  return seconds(job.submitted - start);
}
double by_request(const Job& job, Time /*now*/, Time /*start*/) {
  return seconds(job.requested);
}
double by_wfp3(const Job& job, Time now, Time /*start*/) {
  return -std::pow(seconds(now - job.submitted) / seconds(job.requested), 3) * job.gpus;
}
/// Towards the start of the run log10(s) falls without end: the first second counts as one.
double by_f1(const Job& job, Time /*now*/, Time start) {
  return std::log10(seconds(job.requested)) * job.gpus +
         870 * std::log10(std::max(1.0, seconds(job.submitted - start)));
}

/// A job that holds GPUs, and when they are believed and known to come back.
struct Running {
  std::uint32_t gpus = 0;
  Time believed_end{};
  Time end{};
};

/// The first moment at which `gpus` are believed free, and how many are left over then.
struct Shadow {
  Time when{};
  std::uint32_t extra = 0;
};
Shadow shadow_of(std::uint32_t gpus, std::uint32_t free, std::vector<Running> running) {
  std::ranges::sort(running, {}, &Running::believed_end);
  Time when{};
  std::size_t i = 0;
  while (free < gpus) {
    when = running[i].believed_end;
    for (; i < running.size() && running[i].believed_end == when; ++i) free += running[i].gpus;
  }
  return {when, free - gpus};
}

class NaiveEasy {
 public:
  NaiveEasy(const World& world, Score score) : world_(world), score_(std::move(score)) {}

  /// When each job starts, by id.
  std::vector<Time> run() {
    starts_.resize(world_.jobs.size());
    free_ = world_.cluster.gpu_count();
    std::size_t arrived = 0;
    while (arrived < world_.jobs.size() || !waiting_.empty()) {
      now_ = next_moment(arrived);
      finish();
      for (; arrived < world_.jobs.size() && world_.jobs[arrived].job.submitted == now_; ++arrived)
        waiting_.push_back(world_.jobs[arrived].job);
      schedule();
    }
    return starts_;
  }

 private:
  Time next_moment(std::size_t arrived) const {
    Time next = arrived < world_.jobs.size() ? world_.jobs[arrived].job.submitted : Time::max();
    for (const Running& r : running_) next = std::min(next, r.end);
    return next;
  }

  void finish() {
    for (const Running& r : running_)
      if (r.end == now_) free_ += r.gpus;
    std::erase_if(running_, [&](const Running& r) { return r.end == now_; });
  }

  void schedule() {
    std::ranges::sort(waiting_, {}, [&](const Job& job) {
      return std::pair(score_(job, now_, world_.start()), job.id);
    });
    while (!waiting_.empty() && waiting_.front().gpus <= free_) start(0);
    if (waiting_.empty()) return;
    Shadow shadow = shadow_of(waiting_.front().gpus, free_, running_);
    for (std::size_t i = 1; i < waiting_.size();) {
      const Job& job = waiting_[i];
      const bool ends_before = now_ + job.requested <= shadow.when;
      const bool fits = job.gpus <= free_ && (ends_before || job.gpus <= shadow.extra);
      if (!fits) {
        ++i;
        continue;
      }
      if (!ends_before) shadow.extra -= job.gpus;
      start(i);
    }
  }

  void start(std::size_t i) {
    const Job job = waiting_[i];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    const Duration actual = std::min(world_.jobs[job.id.index].actual, job.requested);
    running_.push_back({job.gpus, now_ + job.requested, now_ + actual});
    free_ -= job.gpus;
    starts_[job.id.index] = now_;
  }

  const World& world_;
  Score score_;
  Time now_{};
  std::uint32_t free_ = 0;
  std::vector<Job> waiting_;
  std::vector<Running> running_;
  std::vector<Time> starts_;
};

std::vector<Time> starts_of(const World& world, const char* policy, const char* backfill) {
  const RunLog log = run_logged(world, policy, {{"backfill", backfill}, {"place", "first-fit"}});
  std::vector<Time> starts(world.jobs.size());
  for (const EndedJob& job : log.ended) starts[job.job.index] = job.first_start;
  return starts;
}

void expect_same_starts(const char* policy, const Score& score) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const World world = one_pool_world(seed, Requests::mixed);
    const std::vector<Time> expected = NaiveEasy(world, score).run();
    const std::vector<Time> starts = starts_of(world, policy, "easy");
    for (std::size_t i = 0; i < starts.size(); ++i)
      ASSERT_EQ((starts[i] - world.start()).count(), (expected[i] - world.start()).count())
          << policy << ", job " << i << ", world " << seed;
  }
}

TEST(Easy, equals_the_textbook_start_by_start_for_fifo) {
  expect_same_starts("fifo", by_submission);
}
TEST(Easy, equals_the_textbook_start_by_start_for_sjf) {
  expect_same_starts("sjf", by_request);
}
TEST(Easy, equals_the_textbook_start_by_start_for_f1) {
  expect_same_starts("f1", by_f1);
}
TEST(Easy, equals_the_textbook_start_by_start_for_wfp3) {
  expect_same_starts("wfp3", by_wfp3);
}

/// Follows a log and works out, after each decision, the start that the longest
/// waiting job can count on.
class HeadWatch {
 public:
  explicit HeadWatch(const World& world) : world_(world), free_(world.cluster.gpu_count()) {}

  void take(const Turn& turn) {
    for (const Event& event : turn.events) {
      if (const auto* e = std::get_if<JobSubmitted>(&event)) waiting_[e->job] = job(e->job);
      if (const auto* e = std::get_if<JobFinished>(&event)) {
        running_.erase(e->job);
        free_ += job(e->job).gpus;
      }
    }
    for (const Action& action : turn.actions) start(std::get<Start>(action).job, turn.now);
    if (!waiting_.empty()) promise(waiting_.begin()->second, turn.now);
  }

 private:
  const Job& job(JobId id) const { return world_.jobs[id.index].job; }

  void start(JobId id, Time now) {
    waiting_.erase(id);
    free_ -= job(id).gpus;
    running_[id] = {job(id).gpus, now + job(id).requested, {}};
    const auto promise = promised_.try_emplace(id, now).first->second;
    EXPECT_LE((now - world_.start()).count(), (promise - world_.start()).count())
        << "job " << id.index << " starts later than it could count on";
  }

  void promise(const Job& head, Time now) {
    ASSERT_GT(head.gpus, free_) << "the head waits at " << (now - world_.start()).count()
                                << " ms though it fits";
    std::vector<Running> running;
    for (const auto& [id, r] : running_) running.push_back(r);
    const Time start = shadow_of(head.gpus, free_, running).when;
    const auto [it, added] = promised_.try_emplace(head.id, start);
    it->second = std::min(it->second, start);
  }

  const World& world_;
  std::uint32_t free_;
  std::map<JobId, Job> waiting_;  ///< ids are in order of submission
  std::map<JobId, Running> running_;
  std::map<JobId, Time> promised_;
};

TEST(Easy, never_delays_the_start_that_the_head_was_promised) {
  for (const char* place : {"first-fit", "best-fit"})
    for (std::uint64_t seed = 5000; seed < 5500 && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << place << ", world " << seed);
      const World world = one_pool_world(seed, Requests::over);
      HeadWatch watch(world);
      for (const Turn& turn :
           run_logged(world, "fifo", {{"backfill", "easy"}, {"place", place}}).turns)
        watch.take(turn);
    }
}

/// What is planned to be free, asked slowly.
class NaivePlan {
 public:
  explicit NaivePlan(std::uint32_t gpus) : gpus_(gpus) {}
  /// Finds the first start not before `earliest` and keeps it.
  Time add(Time earliest, std::uint32_t gpus, Duration length) {
    std::vector<Time> candidates{earliest};
    for (const Block& block : blocks_)
      if (block.to > earliest) candidates.push_back(block.to);
    std::ranges::sort(candidates);
    const auto start = std::ranges::find_if(
        candidates, [&](Time from) { return most_used(from, from + length) + gpus <= gpus_; });
    blocks_.push_back({*start, *start + length, gpus});
    return *start;
  }

 private:
  struct Block {
    Time from{};
    Time to{};
    std::uint32_t gpus = 0;
  };
  std::uint32_t used_at(Time t) const {
    std::uint32_t used = 0;
    for (const Block& block : blocks_)
      if (block.from <= t && t < block.to) used += block.gpus;
    return used;
  }
  std::uint32_t most_used(Time from, Time to) const {
    std::uint32_t most = used_at(from);
    for (const Block& block : blocks_)
      if (from < block.from && block.from < to) most = std::max(most, used_at(block.from));
    return most;
  }
  std::uint32_t gpus_;
  std::vector<Block> blocks_;
};

TEST(Conservative, starts_every_job_as_promised_at_arrival_if_requests_are_exact) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const World world = one_pool_world(seed, Requests::exact);
    NaivePlan plan(world.cluster.gpu_count());
    const std::vector<Time> starts = starts_of(world, "fifo", "conservative");
    for (const auto& [job, actual, work, load, spec, runs, least, most] : world.jobs) {
      const Time promised = plan.add(job.submitted, job.gpus, job.requested);
      ASSERT_EQ((starts[job.id.index] - world.start()).count(), (promised - world.start()).count())
          << "job " << job.id.index << ", world " << seed;
    }
  }
}

/// First come, first served, all on requested times and nobody passes: the start no
/// job may miss when others only end early.
TEST(Conservative, never_starts_a_job_later_than_if_all_had_waited_in_line) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const World world = one_pool_world(seed, Requests::over);
    const std::vector<Time> starts = starts_of(world, "fifo", "conservative");
    NaivePlan plan(world.cluster.gpu_count());
    Time line = world.start();
    for (const auto& [job, actual, work, load, spec, runs, least, most] : world.jobs) {
      line = plan.add(std::max(line, job.submitted), job.gpus, job.requested);
      ASSERT_LE(starts[job.id.index], line) << "job " << job.id.index << ", world " << seed;
    }
  }
}

}  // namespace
}  // namespace penstock
