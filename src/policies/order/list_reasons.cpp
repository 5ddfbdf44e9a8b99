#include "policies/order/list_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/job_label.h"
#include "policy/reasons.h"

namespace penstock {

std::string ListReasons::first(const ListEntry& entry, const JobState& job) const {
  std::string text = fmt::format("next in the queue by {}", order_.name);
  if (by_level())
    text += fmt::format(": service level {}", entry.level);
  else if (order_.fact != nullptr)
    text += ": " + order_.fact(job, now_);
  return text;
}

std::string ListReasons::passing(const ListEntry& entry, const QueueItem& blocked) const {
  const std::string text = "passes " + job_label(blocked.id);
  if (blocked.promise == Time::max()) return text + ", which cannot be promised a start now";
  if (entry.believed_end <= blocked.promise)
    return text + fmt::format(": it will be over by {}, before that one's promised start at {}",
                              clock_label(entry.believed_end, now_),
                              clock_label(blocked.promise, now_));
  return text + fmt::format(": it does not need the GPUs promised to that one from {} on",
                            clock_label(blocked.promise, now_));
}

std::string ListReasons::early(Time promised) const {
  std::string text = "there is room, and nobody's promised start is delayed";
  if (promised != Time::max())
    text += fmt::format("; its own was promised for {}", clock_label(promised, now_));
  return text;
}

std::string ListReasons::due(const ListEntry& entry) const {
  return fmt::format("its promised start has come, {} for {}", gpus_label(entry.gpus),
                     duration_label(entry.item.request));
}

std::string ListReasons::evicting(const ListEntry& entry, const JobState& job,
                                  std::size_t victims) const {
  return fmt::format("{}; stops {} {}", first(entry, job), jobs_label(victims),
                     by_level() ? "of a higher level" : "that would take longer");
}

std::string ListReasons::stopped(const ListEntry& victim, const ListEntry& by) const {
  if (by_level())
    return fmt::format("stopped for {} of service level {}: this one has reached level {}",
                       job_label(by.item.id), by.level, victim.level);
  return fmt::format("stopped for {}, which needs {}: this one needs {} still",
                     job_label(by.item.id), duration_label(by.item.request),
                     duration_label(victim.believed_end - now_));
}

std::string ListReasons::waiting(const ListEntry& entry, std::uint64_t gpu_types, const Room& room,
                                 bool plans) const {
  std::uint32_t most = 0;
  std::uint32_t pools = 0;
  bool placeable = false;
  for (std::uint32_t i = 0; i < room.pools(); ++i) {
    if (!room.suits(i, gpu_types)) continue;
    ++pools;
    most = std::max(most, room.pool(i).free());
    placeable = placeable || room.pool(i).place(entry.gpus).has_value();
  }
  std::string text = fmt::format("waits: {} asked, {}{} free", gpus_label(entry.gpus),
                                 pools > 1 ? "at one place at most " : "", most);
  if (most >= entry.gpus) text += placeable ? ", but not for long enough" : ", but scattered";
  if (entry.item.promise != Time::max())
    return text + "; promised " + clock_label(entry.item.promise, now_);
  if (!plans || most >= entry.gpus) return text;
  // Promises are made only once somebody could pass.
  const Time start = room.earliest(gpu_types, entry.gpus, entry.item.request).start;
  return start == Time::max() ? text : text + "; expected " + clock_label(start, now_);
}

}  // namespace penstock
