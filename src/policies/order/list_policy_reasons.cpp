// Why jobs start, stop and wait, for people.
#include <fmt/format.h>

#include <algorithm>

#include "policies/order/list_policy.h"
#include "policy/reasons.h"

namespace penstock {

std::string ListPolicy::why_first(const Note& note, const View& view) const {
  std::string text = fmt::format("next in the queue by {}", order_.name);
  if (order_.preemption == Preemption::higher_level)
    text += fmt::format(": service level {}", note.level);
  else if (order_.fact != nullptr)
    text += ": " + order_.fact(view.state.job(note.item.id), now_);
  return text;
}

void ListPolicy::say_first(const Note& note, const View& view, Decision& decision) const {
  if (!aside_.empty()) return say_passing(note, view, decision);
  add_reason(view, decision, note.item.id, [&] { return why_first(note, view); });
}

void ListPolicy::say_passing(const Note& note, const View& view, Decision& decision) const {
  if (!view.explain) return;
  const QueueItem& blocked = notes_.at(aside_.front().index).item;
  std::string text = "passes " + job_label(blocked.id);
  if (blocked.promise == Time::max())
    text += ", which cannot be promised a start now";
  else if (note.believed_end <= blocked.promise)
    text += fmt::format(": it will be over by {}, before that one's promised start at {}",
                        clock_label(note.believed_end, now_), clock_label(blocked.promise, now_));
  else
    text += fmt::format(": it does not need the GPUs promised to that one from {} on",
                        clock_label(blocked.promise, now_));
  decision.because.push_back({note.item.id, std::move(text)});
}

void ListPolicy::say_early(const Note& note, Time promised, const View& view,
                           Decision& decision) const {
  add_reason(view, decision, note.item.id, [&] {
    std::string text = "there is room, and nobody's promised start is delayed";
    if (promised != Time::max())
      text += fmt::format("; its own was promised for {}", clock_label(promised, now_));
    return text;
  });
}

void ListPolicy::say_due(const Note& note, const View& view, Decision& decision) const {
  add_reason(view, decision, note.item.id, [&] {
    return fmt::format("its promised start has come, {} for {}", gpus_label(note.gpus),
                       duration_label(note.item.request));
  });
}

std::string ListPolicy::why_stopped(const Note& victim, const Note& by) const {
  if (order_.preemption == Preemption::higher_level)
    return fmt::format("stopped for {} of service level {}: this one has reached level {}",
                       job_label(by.item.id), by.level, victim.level);
  return fmt::format("stopped for {}, which needs {}: this one needs {} still",
                     job_label(by.item.id), duration_label(by.item.request),
                     duration_label(victim.believed_end - now_));
}

void ListPolicy::say_evicting(const Note& note, const std::vector<JobId>& victims, const View& view,
                              Decision& decision) const {
  if (!view.explain) return;
  for (const JobId job : victims)
    decision.because.push_back({job, why_stopped(notes_.at(job.index), note)});
  const bool by_level = order_.preemption == Preemption::higher_level;
  decision.because.push_back(
      {note.item.id,
       fmt::format("{}; stops {} {}", why_first(note, view), jobs_label(victims.size()),
                   by_level ? "of a higher level" : "that would take longer")});
}

std::string ListPolicy::why_waiting(const Note& note) const {
  const std::uint64_t types = queue_.shelf(note.item.shelf).gpu_types;
  std::uint32_t most = 0;
  std::uint32_t pools = 0;
  bool placeable = false;
  for (std::uint32_t i = 0; i < room_.pools(); ++i) {
    if (!room_.suits(i, types)) continue;
    ++pools;
    most = std::max(most, room_.pool(i).free());
    placeable = placeable || room_.pool(i).place(note.gpus).has_value();
  }
  std::string text = fmt::format("waits: {} asked, {}{} free", gpus_label(note.gpus),
                                 pools > 1 ? "at one place at most " : "", most);
  if (most >= note.gpus) text += placeable ? ", but not for long enough" : ", but scattered";
  if (note.item.promise != Time::max())
    return text + "; promised " + clock_label(note.item.promise, now_);
  if (options_.depth == 0 || most >= note.gpus) return text;
  // Promises are made only once somebody could pass.
  const Time start = room_.earliest(types, note.gpus, note.item.request).start;
  return start == Time::max() ? text : text + "; expected " + clock_label(start, now_);
}

/// Of the first that waits, of those that are set aside and of those with a new promise.
void ListPolicy::say_waits(const View& view, Decision& decision) {
  std::vector<JobId> jobs = std::move(promised_);
  promised_.clear();
  jobs.insert(jobs.end(), aside_.begin(), aside_.end());
  jobs.insert(jobs.end(), stuck_.begin(), stuck_.end());
  if (const auto front = queue_.front(now_); front && aside_.empty()) jobs.push_back(*front);
  std::ranges::sort(jobs);
  const auto again = std::ranges::unique(jobs);
  jobs.erase(again.begin(), again.end());
  for (const JobId job : jobs) {
    const Note* note = notes_.find(job.index);
    if (note != nullptr && note->waits)
      add_reason(view, decision, job, [&] { return why_waiting(*note); });
  }
}

}  // namespace penstock
