#include "serve/event_feed.h"

#include <algorithm>

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

FeedNews EventFeed::wait_after(std::uint64_t id, Duration patience) const {
  std::unique_lock lock(mutex_);
  if (id > last_) id = 0;
  const std::uint64_t woken = woken_;
  came_.wait_for(lock, patience, [&] { return last_ > id || woken_ != woken; });
  FeedNews news;
  if (last_ <= id) return news;
  const std::uint64_t oldest = last_ - kept_.size() + 1;
  news.skipped = oldest > id + 1 ? oldest - id - 1 : 0;
  const auto from = kept_.begin() + static_cast<std::ptrdiff_t>(id + 1 + news.skipped - oldest);
  news.events.assign(from, kept_.end());
  return news;
}

void EventFeed::wake() {
  {
    const std::lock_guard lock(mutex_);
    ++woken_;
  }
  came_.notify_all();
}

}  // namespace penstock
