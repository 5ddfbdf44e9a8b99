#include "serve/http/event_feed.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/number.h"

namespace penstock {
namespace {

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace

std::uint64_t EventFeed::push(std::string_view event, std::string_view json_line) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++last_;
    kept_.push_back({id, one_line(event), one_line(json_line)});
    if (kept_.size() > most_kept_) kept_.pop_front();
  }
  came_.notify_all();
  return id;
}

std::uint64_t EventFeed::last_id() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

FeedUpdate EventFeed::wait_after(std::uint64_t id, Duration timeout) const {
  std::unique_lock lock(mutex_);
  if (id > last_) id = 0;
  const std::uint64_t woken = woken_;
  came_.wait_for(lock, timeout, [&] { return last_ > id || woken_ != woken; });
  FeedUpdate update;
  if (last_ <= id) return update;
  const std::uint64_t oldest = last_ - kept_.size() + 1;
  update.skipped = oldest > id + 1 ? oldest - id - 1 : 0;
  const auto from = kept_.begin() + static_cast<std::ptrdiff_t>(id + 1 + update.skipped - oldest);
  update.events.assign(from, kept_.end());
  return update;
}

void EventFeed::wake() {
  {
    const std::lock_guard lock(mutex_);
    ++woken_;
  }
  came_.notify_all();
}

std::string event_stream_text(const FeedUpdate& update, std::uint64_t& seen) {
  if (update.events.empty()) return ": here\n\n";
  std::string text;
  if (update.skipped > 0)
    text += fmt::format("event: skipped\ndata: {{\"skipped\":{}}}\n\n", update.skipped);
  for (const FeedEvent& each : update.events)
    text += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", each.id, each.event, each.json);
  seen = update.events.back().id;
  return text;
}

std::uint64_t resume_point(std::string_view last_event_id, const EventFeed& feed) {
  const auto id = parse_number<std::uint64_t>(last_event_id);
  return id ? *id : feed.last_id();
}

std::shared_ptr<void> ReaderSlots::take() {
  if (taken_->fetch_add(1) >= most_) {
    taken_->fetch_sub(1);
    return nullptr;
  }
  return {taken_.get(), [taken = taken_](void*) { taken->fetch_sub(1); }};
}

}  // namespace penstock
