// Why jobs start, stop and wait, for people.
#include <fmt/format.h>

#include <algorithm>

#include "policies/order/list_policy.h"
#include "policy/reasons.h"

namespace penstock {

std::string ListPolicy::why_first(const Entry& entry, const View& view) const {
  std::string text = fmt::format("next in the queue by {}", order_.name);
  if (order_.preemption == Preemption::higher_level)
    text += fmt::format(": service level {}", entry.level);
  else if (order_.fact != nullptr)
    text += ": " + order_.fact(view.state.job(entry.item.id), now_);
  return text;
}

void ListPolicy::explain_first(const Entry& entry, const View& view, Decision& decision) const {
  if (!blocked_.empty()) return explain_passing(entry, view, decision);
  add_reason(view, decision, entry.item.id, [&] { return why_first(entry, view); });
}

void ListPolicy::explain_passing(const Entry& entry, const View& view, Decision& decision) const {
  if (!view.explain) return;
  const QueueItem& blocked = entries_.at(blocked_.front().index).item;
  std::string text = "passes " + job_label(blocked.id);
  if (blocked.promise == Time::max())
    text += ", which cannot be promised a start now";
  else if (entry.believed_end <= blocked.promise)
    text += fmt::format(": it will be over by {}, before that one's promised start at {}",
                        clock_label(entry.believed_end, now_), clock_label(blocked.promise, now_));
  else
    text += fmt::format(": it does not need the GPUs promised to that one from {} on",
                        clock_label(blocked.promise, now_));
  decision.because.push_back({entry.item.id, std::move(text)});
}

void ListPolicy::explain_early(const Entry& entry, Time promised, const View& view,
                               Decision& decision) const {
  add_reason(view, decision, entry.item.id, [&] {
    std::string text = "there is room, and nobody's promised start is delayed";
    if (promised != Time::max())
      text += fmt::format("; its own was promised for {}", clock_label(promised, now_));
    return text;
  });
}

void ListPolicy::explain_due(const Entry& entry, const View& view, Decision& decision) const {
  add_reason(view, decision, entry.item.id, [&] {
    return fmt::format("its promised start has come, {} for {}", gpus_label(entry.gpus),
                       duration_label(entry.item.request));
  });
}

std::string ListPolicy::why_stopped(const Entry& victim, const Entry& by) const {
  if (order_.preemption == Preemption::higher_level)
    return fmt::format("stopped for {} of service level {}: this one has reached level {}",
                       job_label(by.item.id), by.level, victim.level);
  return fmt::format("stopped for {}, which needs {}: this one needs {} still",
                     job_label(by.item.id), duration_label(by.item.request),
                     duration_label(victim.believed_end - now_));
}

void ListPolicy::explain_eviction(const Entry& entry, const std::vector<JobId>& victims,
                                  const View& view, Decision& decision) const {
  if (!view.explain) return;
  for (const JobId job : victims)
    decision.because.push_back({job, why_stopped(entries_.at(job.index), entry)});
  const bool by_level = order_.preemption == Preemption::higher_level;
  decision.because.push_back(
      {entry.item.id,
       fmt::format("{}; stops {} {}", why_first(entry, view), jobs_label(victims.size()),
                   by_level ? "of a higher level" : "that would take longer")});
}

std::string ListPolicy::why_waiting(const Entry& entry) const {
  const std::uint64_t types = queue_.bucket(entry.item.bucket).gpu_types;
  std::uint32_t most = 0;
  std::uint32_t pools = 0;
  bool placeable = false;
  for (std::uint32_t i = 0; i < room_.pools(); ++i) {
    if (!room_.suits(i, types)) continue;
    ++pools;
    most = std::max(most, room_.pool(i).free());
    placeable = placeable || room_.pool(i).place(entry.gpus).has_value();
  }
  std::string text = fmt::format("waits: {} asked, {}{} free", gpus_label(entry.gpus),
                                 pools > 1 ? "at one place at most " : "", most);
  if (most >= entry.gpus) text += placeable ? ", but not for long enough" : ", but scattered";
  if (entry.item.promise != Time::max())
    return text + "; promised " + clock_label(entry.item.promise, now_);
  if (options_.depth == 0 || most >= entry.gpus) return text;
  // Promises are made only once somebody could pass.
  const Time start = room_.earliest(types, entry.gpus, entry.item.request).start;
  return start == Time::max() ? text : text + "; expected " + clock_label(start, now_);
}

/// Of the first that waits, of those that are set aside and of those with a new promise.
void ListPolicy::explain_waiting(const View& view, Decision& decision) {
  std::vector<JobId> jobs = std::move(promised_);
  promised_.clear();
  jobs.insert(jobs.end(), blocked_.begin(), blocked_.end());
  jobs.insert(jobs.end(), fragmented_.begin(), fragmented_.end());
  if (const auto front = queue_.front(now_); front && blocked_.empty()) jobs.push_back(*front);
  std::ranges::sort(jobs);
  const auto again = std::ranges::unique(jobs);
  jobs.erase(again.begin(), again.end());
  for (const JobId job : jobs) {
    const Entry* entry = entries_.find(job.index);
    if (entry != nullptr && entry->waits)
      add_reason(view, decision, job, [&] { return why_waiting(*entry); });
  }
}

}  // namespace penstock
