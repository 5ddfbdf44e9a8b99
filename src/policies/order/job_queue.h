#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/ordered_tree.h"
#include "base/time.h"
#include "policies/order/order.h"

namespace penstock {

/// One waiting job as the queue knows it.
struct QueueItem {
  JobId id{};
  std::uint32_t bucket = 0;
  double score = 0;    ///< under a fixed order
  Duration request{};  ///< how long it may run
  Time submitted{};
  Time promise{Time::max()};  ///< its reserved start, if it has one
};

/// The waiting jobs in a policy's order, in one bucket for each size and set of GPU
/// types, each an indexed tree. The first job that fits is found in time
/// logarithmic in the queue and linear in the number of buckets.
class JobQueue {
 public:
  struct Bucket {
    std::uint64_t gpu_types = 0;
    std::uint32_t gpus = 0;
  };

  explicit JobQueue(const Order& order) : order_(order) {}

  std::uint32_t bucket_of(std::uint64_t gpu_types, std::uint32_t gpus);
  const Bucket& bucket(std::uint32_t index) const { return buckets_[index].bucket; }

  std::size_t buckets() const { return buckets_.size(); }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void insert(const QueueItem& item);
  void erase(const QueueItem& item);
  /// Sets the reserved start of a job that is in the queue.
  void promise(QueueItem& item, Time start);
  /// The earliest reserved start; Time::max() if there is none.
  Time earliest_promise() const;
  /// The fewest GPUs that any waiting job asks for.
  std::uint32_t least_gpus() const;

  /// The first job in order.
  std::optional<JobId> front(Time now) const;

  /// The first job in order that could run from `now`: room_until(bucket) says how
  /// long there is room for that bucket's size, Time::min() if there is none.
  /// No bucket of more than `most_gpus` is asked about.
  template <class RoomUntil>
  std::optional<JobId> first_fitting(Time now, const RoomUntil& room_until,
                                     std::uint32_t most_gpus = ~0u) const {
    Best best;
    for (const std::uint32_t index : filled_) {
      if (buckets_[index].bucket.gpus > most_gpus) break;
      const Time until = room_until(buckets_[index].bucket, index);
      if (until >= now) consider(index, now, until, best);
    }
    return best.found ? std::optional(JobId{best.id}) : std::nullopt;
  }

 private:
  struct Key {
    double rank = 0;  ///< the score, or the request if the order is ageing
    std::uint32_t id = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Value {
    Duration request{};
    Time promise{};
    Time submitted{};
  };
  struct Least {
    Duration request{Duration::max()};
    Time promise{Time::max()};
    Time submitted{Time::max()};
    static Least of(const Key& /*key*/, const Value& v) {
      return {v.request, v.promise, v.submitted};
    }
    static Least join(const Least& a, const Least& b) {
      return {std::min(a.request, b.request), std::min(a.promise, b.promise),
              std::min(a.submitted, b.submitted)};
    }
  };
  using Tree = OrderedTree<Key, Value, Least>;
  struct BucketTree {
    Bucket bucket{};
    Tree tree{};
    Key front{};  ///< of the least entry, under a fixed order and while not empty
  };
  struct Best {
    bool found = false;
    double score = 0;
    std::uint32_t id = 0;
    void offer(double other_score, std::uint32_t other_id) {
      if (found && std::pair(score, id) <= std::pair(other_score, other_id)) return;
      *this = {true, other_score, other_id};
    }
  };

  Key key_of(const QueueItem& item) const;
  /// Where a bucket stands, or would stand, in a list in order of size.
  std::vector<std::uint32_t>::iterator place_in(std::vector<std::uint32_t>& list,
                                                const Bucket& bucket);
  /// Offers the bucket's first job that fits before `until`.
  void consider(std::uint32_t index, Time now, Time until, Best& best) const;
  void consider_ageing(std::uint32_t index, Time now, Time until, Best& best) const;

  const Order& order_;
  std::vector<BucketTree> buckets_;
  std::vector<std::uint32_t> by_gpus_;  ///< buckets in order of size
  std::vector<std::uint32_t> filled_;   ///< those that hold jobs, in the same order
  std::size_t size_ = 0;
};

}  // namespace penstock
