#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace penstock {

struct FeedEvent {
  std::uint64_t id = 0;  ///< counts up from 1
  std::string event{};   ///< a word
  std::string json{};    ///< one line
};

/// What a reader has not seen yet.
struct FeedUpdate {
  std::uint64_t skipped = 0;  ///< that were forgotten before the reader came
  std::vector<FeedEvent> events{};
};

/// The last things that happened, for readers who follow them live. Any thread may call anything at
/// any time; whoever writes never waits for those who read.
class EventFeed {
 public:
  explicit EventFeed(std::size_t most_kept = 1024) : most_kept_(most_kept) {}

  /// Returns its id. Line breaks in either text become spaces.
  std::uint64_t push(std::string_view event, std::string_view json_line);
  /// 0 before the first.
  std::uint64_t last_id() const;
  /// What came after `id`, as soon as there is anything; nothing after `timeout` or wake(). An id
  /// that was never given (of the daemon before it was restarted) counts as 0.
  FeedUpdate wait_after(std::uint64_t id, Duration timeout) const;
  /// All who wait return at once.
  void wake();

 private:
  std::size_t most_kept_;
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::deque<FeedEvent> kept_;
  std::uint64_t last_ = 0;
  std::uint64_t woken_ = 0;
};

/// News as server-sent events; a comment where there are none, as a sign of life. Moves `seen` to
/// the last of them. Those that were forgotten are told as an event "skipped" without an id.
std::string event_stream_text(const FeedUpdate& update, std::uint64_t& seen);

/// Where a reader goes on that sent this "Last-Event-ID"; those who send none, or anything but a
/// number, begin with what comes next.
std::uint64_t resume_point(std::string_view last_event_id, const EventFeed& feed);

/// At most so many at once. The seat is free again when the last copy of the pointer is gone.
class ReaderSlots {
 public:
  explicit ReaderSlots(std::size_t most)
      : taken_(std::make_shared<std::atomic<std::size_t>>(0)), most_(most) {}
  /// Null if all are taken.
  std::shared_ptr<void> take();

 private:
  std::shared_ptr<std::atomic<std::size_t>> taken_;
  std::size_t most_;
};

}  // namespace penstock
