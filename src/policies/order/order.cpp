#include "policies/order/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "policy/reasons.h"

namespace penstock {
namespace {

double requested(const JobState& s) {
  return std::max(seconds(s.job.requested), 1e-3);
}
double size(const JobState& s) {
  return static_cast<double>(s.job.gpus);
}
/// log10 of the submission time in seconds since the run began; the first second counts as one.
double log_submitted(const JobState& s, Time start) {
  return std::log10(std::max(seconds(s.job.submitted - start), 1.0));
}

double fifo(const JobState& /*s*/, Time /*start*/) {
  return 0;
}
double shortest(const JobState& s, Time /*start*/) {
  return static_cast<double>(s.remaining_request().count());
}
double smallest(const JobState& s, Time /*start*/) {
  return size(s);
}
double edf(const JobState& s, Time /*start*/) {
  if (!s.job.deadline) return std::numeric_limits<double>::infinity();
  return static_cast<double>(s.job.deadline->time_since_epoch().count());
}
double priority(const JobState& s, Time /*start*/) {
  return -s.job.priority;
}

// F1 to F4: Carastan-Santos and de Camargo, SC'17.
double f1(const JobState& s, Time start) {
  return std::log10(requested(s)) * size(s) + 870 * log_submitted(s, start);
}
double f2(const JobState& s, Time start) {
  return std::sqrt(requested(s)) * size(s) + 25600 * log_submitted(s, start);
}
double f3(const JobState& s, Time start) {
  return requested(s) * size(s) + 6.86e6 * log_submitted(s, start);
}
double f4(const JobState& s, Time start) {
  return requested(s) * std::sqrt(size(s)) + 5.3e5 * log_submitted(s, start);
}

double wfp3(double waited, std::uint32_t gpus) {
  return -waited * waited * waited * static_cast<double>(gpus);
}
/// log2(1) would make every one-GPU job infinitely urgent; it counts as log2(2).
double unicep(double waited, std::uint32_t gpus) {
  return -waited / std::log2(static_cast<double>(std::max(gpus, 2u)));
}

std::string came(const JobState& s, Time now) {
  return "submitted " + clock_label(s.job.submitted, now);
}
std::string length(const JobState& s, Time /*now*/) {
  const std::string left = duration_label(s.remaining_request());
  return s.starts == 0 ? "asks for " + left : left + " left of what it asked for";
}
std::string width(const JobState& s, Time /*now*/) {
  return gpus_label(s.job.gpus);
}
std::string due(const JobState& s, Time now) {
  return s.job.deadline ? "due " + clock_label(*s.job.deadline, now) : "no deadline";
}
std::string rank(const JobState& s, Time /*now*/) {
  return fmt::format("priority {:g}", s.job.priority);
}
std::string relative_wait(const JobState& s, Time now) {
  return fmt::format("has waited {:.2f} times the time it asks for, {}",
                     seconds(now - s.job.submitted) / requested(s), gpus_label(s.job.gpus));
}
std::string all_three(const JobState& s, Time now) {
  return fmt::format("{} for {}, {}", gpus_label(s.job.gpus), duration_label(s.job.requested),
                     came(s, now));
}

}  // namespace

std::span<const Order> all_orders() {
  static constexpr auto kAll = std::to_array<Order>({
      {"fifo", "first come, first served", fifo, nullptr, Preemption::none, came},
      {"sjf", "shortest requested time first", shortest, nullptr, Preemption::none, length},
      {"srtf", "shortest remaining requested time first, preempting longer jobs", shortest, nullptr,
       Preemption::longer_remaining, length},
      {"smallest", "fewest GPUs first", smallest, nullptr, Preemption::none, width},
      {"edf", "earliest deadline first; jobs without one last", edf, nullptr, Preemption::none, due,
       true},
      {"priority", "highest priority first", priority, nullptr, Preemption::none, rank},
      {"wfp3", "largest (wait / requested time)^3 x GPUs first", nullptr, wfp3, Preemption::none,
       relative_wait},
      {"unicep", "largest wait / (log2(GPUs) x requested time) first", nullptr, unicep,
       Preemption::none, relative_wait},
      {"f1", "least log10(r) n + 870 log10(s) first", f1, nullptr, Preemption::none, all_three},
      {"f2", "least sqrt(r) n + 25600 log10(s) first", f2, nullptr, Preemption::none, all_three},
      {"f3", "least r n + 6.86e6 log10(s) first", f3, nullptr, Preemption::none, all_three},
      {"f4", "least r sqrt(n) + 5.3e5 log10(s) first", f4, nullptr, Preemption::none, all_three},
      {"las", "least attained service first, in doubling levels, preempting better-served jobs",
       fifo, nullptr, Preemption::higher_level},
  });
  return kAll;
}

int service_level(std::int64_t attained_gpu_ms, std::int64_t quantum_gpu_ms) {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(attained_gpu_ms / quantum_gpu_ms)));
}

}  // namespace penstock
