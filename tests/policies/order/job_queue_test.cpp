#include "policies/order/job_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.h"
#include "policies/order/order_named.h"

namespace penstock {
namespace {

Time at(std::int64_t ms) {
  return Time(Duration(ms));
}

/// The queue beside a plain list that is searched from end to end.
class QueueAndList {
 public:
  QueueAndList(const Order& order, std::uint64_t seed) : order_(order), queue_(order), rng_(seed) {}

  void step() {
    const std::uint64_t dice = rng_.below(10);
    if (dice < 5) add();
    if (dice >= 5 && dice < 8 && !items_.empty()) remove();
    if (dice >= 8 && !items_.empty()) promise();
    now_ += Duration(rng_.below(50));
    compare();
  }

 private:
  struct Entry {
    QueueItem item{};
    std::uint32_t gpus = 0;
  };

  void add() {
    const auto gpus = static_cast<std::uint32_t>(1 + rng_.below(5));
    const QueueItem item{.id = JobId{next_++},
                         .bucket = queue_.bucket_of(~0ull, gpus),
                         .score = static_cast<double>(rng_.below(6)),
                         .request = Duration(1 + rng_.below(300)),
                         .submitted = now_};
    queue_.insert(item);
    items_.push_back({item, gpus});
  }
  void remove() {
    const auto i = items_.begin() + static_cast<std::ptrdiff_t>(rng_.below(items_.size()));
    queue_.erase(i->item);
    items_.erase(i);
  }
  void promise() {
    Entry& entry = items_[rng_.below(items_.size())];
    queue_.promise(entry.item, now_ + Duration(rng_.below(200)));
  }

  double score(const Entry& entry) const {
    if (order_.aged == nullptr) return entry.item.score;
    return order_.aged(seconds(now_ - entry.item.submitted) / seconds(entry.item.request),
                       entry.gpus);
  }

  /// The first in order for which there is room, asked one by one.
  std::optional<JobId> slow_first(const std::map<std::uint32_t, Time>& room) const {
    const Entry* best = nullptr;
    for (const Entry& entry : items_) {
      const Time until = room.at(entry.gpus);
      const bool fits =
          until >= now_ && (until == Time::max() || entry.item.request <= until - now_ ||
                            entry.item.promise <= until);
      if (!fits) continue;
      if (best == nullptr ||
          std::pair(score(entry), entry.item.id) < std::pair(score(*best), best->item.id))
        best = &entry;
    }
    return best == nullptr ? std::nullopt : std::optional(best->item.id);
  }

  void compare() {
    ASSERT_EQ(queue_.size(), items_.size());
    std::map<std::uint32_t, Time> open;
    std::map<std::uint32_t, Time> room;
    for (std::uint32_t gpus = 1; gpus <= 5; ++gpus) {
      open[gpus] = Time::max();
      const std::uint64_t dice = rng_.below(4);
      room[gpus] = dice == 0   ? Time::min()
                   : dice == 1 ? Time::max()
                               : now_ + Duration(rng_.below(200));
    }
    ASSERT_EQ(queue_.front(now_), slow_first(open));
    ASSERT_EQ(queue_.first_fitting(now_, [&](const JobQueue::Bucket& bucket,
                                             std::uint32_t) { return room.at(bucket.gpus); }),
              slow_first(room));
    std::uint32_t least = ~0u;
    for (const Entry& entry : items_) least = std::min(least, entry.gpus);
    ASSERT_EQ(queue_.least_gpus(), least);
  }

  const Order& order_;
  JobQueue queue_;
  Rng rng_;
  Time now_ = at(1000);
  std::uint32_t next_ = 0;
  std::vector<Entry> items_;
};

TEST(JobQueue, finds_the_same_job_as_a_search_from_end_to_end) {
  for (const char* name : {"sjf", "wfp3", "unicep"})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(testing::Message() << name << ", seed " << seed);
      QueueAndList both(order_named(name), seed);
      for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) both.step();
    }
}

TEST(JobQueue, breaks_ties_by_id) {
  JobQueue queue(order_named("fifo"));
  for (const std::uint32_t id : {7u, 3u, 5u})
    queue.insert({.id = JobId{id}, .bucket = queue.bucket_of(~0ull, id), .request = Duration(1)});
  EXPECT_EQ(queue.front(at(0)), JobId{3});
}

}  // namespace
}  // namespace penstock
