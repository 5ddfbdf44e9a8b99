#include "policies/order/job_queue.h"

namespace penstock {

std::vector<std::uint32_t>::iterator JobQueue::place_in(std::vector<std::uint32_t>& list,
                                                        const Bucket& bucket) {
  const auto less = [&](std::uint32_t index, const Bucket& wanted) {
    const Bucket& there = buckets_[index].bucket;
    return std::pair(there.gpus, there.gpu_types) < std::pair(wanted.gpus, wanted.gpu_types);
  };
  return std::lower_bound(list.begin(), list.end(), bucket, less);
}

std::uint32_t JobQueue::bucket_of(std::uint64_t gpu_types, std::uint32_t gpus) {
  const Bucket wanted{gpu_types, gpus};
  const auto at = place_in(by_gpus_, wanted);
  if (at != by_gpus_.end() && buckets_[*at].bucket.gpus == gpus &&
      buckets_[*at].bucket.gpu_types == gpu_types)
    return *at;
  const auto index = static_cast<std::uint32_t>(buckets_.size());
  buckets_.push_back({.bucket = wanted});
  by_gpus_.insert(at, index);
  return index;
}

JobQueue::Key JobQueue::key_of(const QueueItem& item) const {
  const bool ageing = order_.score == nullptr;
  return {ageing ? static_cast<double>(item.request.count()) : item.score, item.id.index};
}

void JobQueue::insert(const QueueItem& item) {
  BucketTree& bucket = buckets_[item.bucket];
  const Key key = key_of(item);
  if (bucket.tree.empty()) filled_.insert(place_in(filled_, bucket.bucket), item.bucket);
  if (bucket.tree.empty() || key < bucket.front) bucket.front = key;
  bucket.tree.insert(key, {item.request, item.promise, item.submitted});
  ++size_;
}

void JobQueue::erase(const QueueItem& item) {
  BucketTree& bucket = buckets_[item.bucket];
  const Key key = key_of(item);
  bucket.tree.erase(key);
  if (bucket.tree.empty())
    filled_.erase(place_in(filled_, bucket.bucket));
  else if (key == bucket.front)
    bucket.front = bucket.tree.first()->key;
  --size_;
}

void JobQueue::promise(QueueItem& item, Time start) {
  item.promise = start;
  buckets_[item.bucket].tree.assign(key_of(item), {item.request, item.promise, item.submitted});
}

Time JobQueue::earliest_promise() const {
  Time earliest = Time::max();
  for (const std::uint32_t index : filled_)
    earliest = std::min(earliest, buckets_[index].tree.summary().promise);
  return earliest;
}

std::uint32_t JobQueue::least_gpus() const {
  return filled_.empty() ? std::numeric_limits<std::uint32_t>::max()
                         : buckets_[filled_.front()].bucket.gpus;
}

std::optional<JobId> JobQueue::front(Time now) const {
  return first_fitting(now, [](const Bucket&, std::uint32_t) { return Time::max(); });
}

void JobQueue::consider(std::uint32_t index, Time now, Time until, Best& best) const {
  if (order_.score == nullptr) return consider_ageing(index, now, until, best);
  const BucketTree& bucket = buckets_[index];
  if (best.found && Key{best.score, best.id} < bucket.front) return;
  if (until == Time::max()) return best.offer(bucket.front.rank, bucket.front.id);
  const Duration room = until - now;
  const auto* found = bucket.tree.first_that(nullptr, [&](const Least&, const Least& run) {
    return run.request <= room || run.promise <= until;
  });
  if (found != nullptr) best.offer(found->key.rank, found->key.id);
}

void JobQueue::consider_ageing(std::uint32_t index, Time now, Time until, Best& best) const {
  const BucketTree& bucket = buckets_[index];
  const std::uint32_t gpus = bucket.bucket.gpus;
  const Duration room = until == Time::max() ? Duration::max() : until - now;
  const auto score = [&](Time submitted, Duration request) {
    const double length = std::max(seconds(request), 1e-3);
    return order_.aged(seconds(now - submitted) / length, gpus);
  };
  // No job of a subtree can score better than one as old as its oldest and as short
  // as its shortest.
  const auto may_win = [&](const Least& run) {
    if (run.request == Duration::max()) return false;
    if (run.request > room && run.promise > until) return false;
    return !best.found || score(run.submitted, run.request) <= best.score;
  };
  bucket.tree.descend([&](const Tree::Entry& entry, const Least& left, const Least& right) {
    if (entry.value.request <= room || entry.value.promise <= until)
      best.offer(score(entry.value.submitted, entry.value.request), entry.key.id);
    return (may_win(left) ? 1u : 0u) | (may_win(right) ? 2u : 0u);
  });
}

}  // namespace penstock
