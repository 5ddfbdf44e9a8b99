#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/time.h"
#include "model/state.h"
#include "policies/order/job_queue.h"
#include "policies/order/order.h"
#include "policies/order/room.h"

namespace penstock {

/// What a list policy keeps about a job while it waits or runs.
struct ListEntry {
  QueueItem item{};
  std::uint32_t gpus = 0;
  std::uint32_t pool = 0;  ///< of its promise, or where it runs
  bool waits = true;       ///< not running
  bool pinned = false;     ///< never to be stopped
  Time started{};          ///< while running
  Time believed_end{};     ///< while running
  int level = 0;           ///< of service, under `las`
  Time level_up{};         ///< when it reaches the next one if it runs on
};

/// The texts by which a list policy explains its decisions of one instant.
class ListReasons {
 public:
  /// `order` must outlive it.
  ListReasons(const Order& order, Time now) : order_(order), now_(now) {}

  /// The job starts since it is first in the queue.
  std::string first(const ListEntry& entry, const JobState& job) const;
  /// The job starts before a blocked one.
  std::string passing(const ListEntry& entry, const QueueItem& blocked) const;
  /// The job starts before its reserved start `promised`, if it has one.
  std::string early(Time promised) const;
  /// The job starts at its reserved start.
  std::string due(const ListEntry& entry) const;
  /// The job starts on GPUs of so many jobs that are stopped for it.
  std::string evicting(const ListEntry& entry, const JobState& job, std::size_t victims) const;
  /// The job is stopped for another.
  std::string stopped(const ListEntry& victim, const ListEntry& by) const;
  /// The job waits for GPUs of these types. With `plans`, an expected start is named.
  std::string waiting(const ListEntry& entry, std::uint64_t gpu_types, const Room& room,
                      bool plans) const;

 private:
  bool by_level() const { return order_.preemption == Preemption::higher_level; }

  const Order& order_;
  Time now_;
};

}  // namespace penstock
