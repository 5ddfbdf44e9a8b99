// What shortest-remaining-time-first must keep, whatever its algorithm: the
// head of the queue never waits while longer jobs and free GPUs are enough for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "worlds/random_world.h"
#include "worlds/run_log.h"

namespace penstock {
namespace {

class RemainingWatch {
 public:
  explicit RemainingWatch(const World& world) : world_(world), free_(world.cluster.gpu_count()) {}

  void take(const Turn& turn) {
    now_ = turn.now;
    for (const Event& event : turn.events) {
      if (const auto* e = std::get_if<JobSubmitted>(&event))
        waiting_[e->job] = job(e->job).requested;
      if (const auto* e = std::get_if<JobFinished>(&event)) stop(e->job);
    }
    for (const Action& action : turn.actions) {
      if (const auto* a = std::get_if<Start>(&action)) start(a->job);
      if (const auto* a = std::get_if<Preempt>(&action)) waiting_[a->job] = stop(a->job);
    }
  }

  /// The head of the queue is whoever has least left; it may block all others.
  void expect_head_does_not_wait_for_longer_ones() const {
    if (waiting_.empty()) return;
    const auto& [id, remaining] = *std::ranges::min_element(
        waiting_, {}, [](const auto& entry) { return std::pair(entry.second, entry.first); });
    std::uint32_t within_reach = free_;
    for (const auto& [other, end] : running_)
      if (end - now_ > remaining) within_reach += job(other).gpus;
    EXPECT_LT(within_reach, job(id).gpus)
        << "job " << id.index << " waits at " << (now_ - world_.start()).count() << " ms";
  }

 private:
  const Job& job(JobId id) const { return world_.jobs[id.index].job; }
  void start(JobId id) {
    running_[id] = now_ + waiting_.at(id);
    waiting_.erase(id);
    free_ -= job(id).gpus;
  }
  /// What is left of its request.
  Duration stop(JobId id) {
    const Duration left = running_.at(id) - now_;
    running_.erase(id);
    free_ += job(id).gpus;
    return left;
  }

  const World& world_;
  Time now_{};
  std::uint32_t free_;
  std::map<JobId, Duration> waiting_;  ///< and what is left of their requests
  std::map<JobId, Time> running_;      ///< and when their requests would be used up
};

TEST(Srtf, never_lets_the_head_wait_for_longer_jobs) {
  std::uint64_t preemptions = 0;
  for (const char* backfill : {"none", "easy", "conservative"})
    for (std::uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
      SCOPED_TRACE(testing::Message() << backfill << ", world " << seed);
      const World world = one_pool_world(seed, Requests::mixed);
      const RunLog log = run_logged(world, "srtf", {{"backfill", backfill}});
      preemptions += log.result.preemptions;
      RemainingWatch watch(world);
      for (std::size_t i = 0; i < log.turns.size(); ++i) {
        watch.take(log.turns[i]);
        const bool instant_over =
            i + 1 == log.turns.size() || log.turns[i + 1].now > log.turns[i].now;
        if (instant_over) watch.expect_head_does_not_wait_for_longer_ones();
      }
    }
  EXPECT_GT(preemptions, 100u);
}

}  // namespace
}  // namespace penstock
