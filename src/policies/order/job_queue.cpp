#include "policies/order/job_queue.h"

namespace penstock {

std::vector<std::uint32_t>::iterator JobQueue::place_in(std::vector<std::uint32_t>& list,
                                                        const Shelf& shelf) {
  const auto less = [&](std::uint32_t index, const Shelf& wanted) {
    const Shelf& there = shelves_[index].shelf;
    return std::pair(there.gpus, there.gpu_types) < std::pair(wanted.gpus, wanted.gpu_types);
  };
  return std::lower_bound(list.begin(), list.end(), shelf, less);
}

std::uint32_t JobQueue::shelf_of(std::uint64_t gpu_types, std::uint32_t gpus) {
  const Shelf wanted{gpu_types, gpus};
  const auto at = place_in(by_gpus_, wanted);
  if (at != by_gpus_.end() && shelves_[*at].shelf.gpus == gpus &&
      shelves_[*at].shelf.gpu_types == gpu_types)
    return *at;
  const auto index = static_cast<std::uint32_t>(shelves_.size());
  shelves_.push_back({.shelf = wanted});
  by_gpus_.insert(at, index);
  return index;
}

JobQueue::Key JobQueue::key_of(const QueueItem& item) const {
  const bool ageing = order_.score == nullptr;
  return {ageing ? static_cast<double>(item.request.count()) : item.score, item.id.index};
}

void JobQueue::insert(const QueueItem& item) {
  ShelfTree& shelf = shelves_[item.shelf];
  const Key key = key_of(item);
  if (shelf.tree.empty()) filled_.insert(place_in(filled_, shelf.shelf), item.shelf);
  if (shelf.tree.empty() || key < shelf.front) shelf.front = key;
  shelf.tree.insert(key, {item.request, item.promise, item.submitted});
  ++size_;
}

void JobQueue::erase(const QueueItem& item) {
  ShelfTree& shelf = shelves_[item.shelf];
  const Key key = key_of(item);
  shelf.tree.erase(key);
  if (shelf.tree.empty())
    filled_.erase(place_in(filled_, shelf.shelf));
  else if (key == shelf.front)
    shelf.front = shelf.tree.first()->key;
  --size_;
}

void JobQueue::promise(QueueItem& item, Time start) {
  item.promise = start;
  shelves_[item.shelf].tree.assign(key_of(item), {item.request, item.promise, item.submitted});
}

Time JobQueue::earliest_promise() const {
  Time earliest = Time::max();
  for (const std::uint32_t index : filled_)
    earliest = std::min(earliest, shelves_[index].tree.summary().promise);
  return earliest;
}

std::uint32_t JobQueue::least_gpus() const {
  return filled_.empty() ? std::numeric_limits<std::uint32_t>::max()
                         : shelves_[filled_.front()].shelf.gpus;
}

std::optional<JobId> JobQueue::front(Time now) const {
  return first_fitting(now, [](const Shelf&, std::uint32_t) { return Time::max(); });
}

void JobQueue::consider(std::uint32_t index, Time now, Time until, Best& best) const {
  if (order_.score == nullptr) return consider_ageing(index, now, until, best);
  const ShelfTree& shelf = shelves_[index];
  if (best.found && Key{best.score, best.id} < shelf.front) return;
  if (until == Time::max()) return best.offer(shelf.front.rank, shelf.front.id);
  const Duration room = until - now;
  const auto* found = shelf.tree.first_that(nullptr, [&](const Least&, const Least& run) {
    return run.request <= room || run.promise <= until;
  });
  if (found != nullptr) best.offer(found->key.rank, found->key.id);
}

void JobQueue::consider_ageing(std::uint32_t index, Time now, Time until, Best& best) const {
  const ShelfTree& shelf = shelves_[index];
  const std::uint32_t gpus = shelf.shelf.gpus;
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
  shelf.tree.descend([&](const Tree::Entry& entry, const Least& left, const Least& right) {
    if (entry.value.request <= room || entry.value.promise <= until)
      best.offer(score(entry.value.submitted, entry.value.request), entry.key.id);
    return (may_win(left) ? 1u : 0u) | (may_win(right) ? 2u : 0u);
  });
}

}  // namespace penstock
