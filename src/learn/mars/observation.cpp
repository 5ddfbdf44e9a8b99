#include "learn/mars/observation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace penstock {
namespace {

// Features that never change, then those that do; from kSpread on each tells where a task stands
// between the least and the greatest of the window.
constexpr auto kItems = std::to_array<std::string_view>(
    {"requested", "gpus", "log_gpus", "area",          "cost",     "upward", "fan_out",
     "wait",      "fits", "fifo",     "sjf",           "smallest", "f1",     "f2",
     "f3",        "f4",   "worth",    "critical_path", "wfp3",     "unicep"});
constexpr auto kGlobals =
    std::to_array<std::string_view>({"free", "ready", "demand", "longest_wait", "next_opening"});
constexpr std::size_t kFixed = 7;
constexpr std::size_t kSpread = 9;

constexpr auto kPlaces = std::to_array<std::string_view>(
    {"fifo", "sjf", "smallest", "f1", "f2", "f3", "f4", "worth", "critical-path"});
/// What is kept of a task for good: fixed features, and its place in each fixed order.
constexpr std::size_t kKept = kFixed + kPlaces.size();
static_assert(kSpread + kPlaces.size() + 2 == kItems.size());

/// Seconds to days on a scale from 0 to about 1.
float on_log_scale(double seconds) {
  return static_cast<float>(std::log1p(std::max(0.0, seconds)) / 12);
}

float part_of(double some, double all) {
  return static_cast<float>(some / std::max(1.0, all));
}

}  // namespace

std::span<const std::string_view> item_features() {
  return kItems;
}

std::span<const std::string_view> global_features() {
  return kGlobals;
}

void TaskObserver::begin(const TaskSequence& tasks, Time origin) {
  sequence_ = &tasks;
  fixed_.assign(tasks.size() * kKept, 0);
  const double machine = tasks.machine_gpus();
  double mean_cost = 0;
  for (const Task& task : tasks.all()) mean_cost += task.cost / tasks.size();
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const TaskSequence::Brief& brief = tasks.brief(i);
    float* at = fixed_.data() + i * kKept;
    *at++ = on_log_scale(brief.length);
    *at++ = part_of(brief.gpus, machine);
    *at++ = static_cast<float>(std::log2(1.0 + brief.gpus) / std::log2(1.0 + machine));
    *at++ = on_log_scale(brief.length * brief.gpus) / 2;
    *at++ = static_cast<float>(std::log1p(tasks[i].cost / std::max(mean_cost, 1e-12)) / 4);
    *at++ = on_log_scale(seconds(tasks.rank(i).upward));
    *at = static_cast<float>(std::log1p(tasks.rank(i).fan_out) / 6);
  }
  std::vector<std::uint32_t> places;
  for (std::size_t o = 0; o < kPlaces.size(); ++o) {
    const TaskOrder* order = find_task_order(kPlaces[o]);
    PENSTOCK_CHECK(order != nullptr);
    rank_tasks(*order, tasks, origin, places);
    for (std::uint32_t i = 0; i < tasks.size(); ++i)
      fixed_[i * kKept + kFixed + o] = static_cast<float>(places[i]);
  }
}

Window TaskObserver::look(const QueueWorld& world) {
  const auto ready = world.ready();
  const std::size_t count = std::min<std::size_t>(most_, ready.size());
  seen_.assign(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(count));
  items_.clear();
  for (const std::uint32_t task : seen_) see_task(world, task);
  spread_within_window();
  see_whole(world);
  return {.items = items_, .globals = globals_};
}

void TaskObserver::see_task(const QueueWorld& world, std::uint32_t task) {
  const TaskSequence::Brief& brief = sequence_->brief(task);
  const float* kept = fixed_.data() + task * kKept;
  const double wait = seconds(world.now() - brief.submitted);
  const double waited = std::max(0.0, wait) / brief.length;
  items_.insert(items_.end(), kept, kept + kFixed);
  items_.push_back(on_log_scale(wait));
  items_.push_back(world.fits(task) ? 1.0f : 0.0f);
  items_.insert(items_.end(), kept + kFixed, kept + kKept);
  // The ageing orders on a logarithmic scale: their scores span many powers of ten.
  const double lengths = std::log(waited + 1e-9);
  items_.push_back(-static_cast<float>(3 * lengths + std::log(brief.gpus)));
  items_.push_back(-static_cast<float>(lengths - std::log(std::log2(std::max(brief.gpus, 2u)))));
}

/// The least of the window becomes 0, the greatest 1.
void TaskObserver::spread_within_window() {
  const std::size_t width = kItems.size();
  for (std::size_t f = kSpread; f < width; ++f) {
    float least = std::numeric_limits<float>::infinity();
    float most = -least;
    for (std::size_t i = f; i < items_.size(); i += width) {
      least = std::min(least, items_[i]);
      most = std::max(most, items_[i]);
    }
    const float scale = most > least ? 1 / (most - least) : 0;
    for (std::size_t i = f; i < items_.size(); i += width) items_[i] = (items_[i] - least) * scale;
  }
}

void TaskObserver::see_whole(const QueueWorld& world) {
  const double machine = world.gpus();
  double demand = 0;
  std::uint32_t largest = 0;
  for (const std::uint32_t task : seen_) {
    demand += sequence_->brief(task).gpus;
    largest = std::max(largest, sequence_->brief(task).gpus);
  }
  const double oldest =
      seen_.empty() ? 0 : seconds(world.now() - sequence_->brief(seen_.front()).submitted);
  const double opening = seconds(world.opening_for(largest).when - world.now());
  globals_ = {part_of(world.free_gpus(), machine),
              static_cast<float>(std::log1p(static_cast<double>(world.ready().size())) / 6),
              static_cast<float>(std::log1p(demand / machine) / 3), on_log_scale(oldest),
              on_log_scale(opening)};
}

}  // namespace penstock
