#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/state.h"

namespace penstock {

/// How an order's victims are found, if it preempts at all.
enum class Preemption : std::uint8_t {
  none,
  longer_remaining,  ///< running jobs that need longer than the waiting one
  higher_level,      ///< running jobs that have had more service
};

/// The order of a queue. A fixed order scores a job when it enters the queue; an ageing one scores
/// it at every decision, by its wait relative to the requested time.
struct Order {
  std::string_view name;
  std::string_view summary;
  /// Smaller goes first, ties by id; `start` is when the run began. Null if ageing.
  double (*score)(const JobState& job, Time start);
  /// The score of an ageing order, from wait / requested time and the number of GPUs. Null if
  /// fixed.
  double (*aged)(double waited, std::uint32_t gpus);
  Preemption preemption = Preemption::none;
  /// The property of a job by which it is sorted, as text for people; null if that is not short.
  std::string (*fact)(const JobState& job, Time now) = nullptr;
  bool uses_deadlines = false;
};

/// Every order there is, in the order in which help lists them.
std::span<const Order> all_orders();

/// The service level of a job under `las`: 0 below one quantum of GPU-time, then one
/// more with each doubling.
int service_level(std::int64_t attained_gpu_ms, std::int64_t quantum_gpu_ms);

}  // namespace penstock
