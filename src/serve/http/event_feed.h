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

/// The events that a reader has not seen yet.
struct FeedUpdate {
  std::uint64_t skipped = 0;  ///< that were forgotten before the reader came
  std::vector<FeedEvent> events{};
};

/// The latest events, for readers that follow them live. Any thread may call any function at any
/// time; writers never wait for readers.
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
  /// Makes all waiting readers return at once.
  void wake();

 private:
  std::size_t most_kept_;
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::deque<FeedEvent> kept_;
  std::uint64_t last_ = 0;
  std::uint64_t woken_ = 0;
};

/// The update as server-sent events; a comment if it is empty, as a keep-alive. Sets `seen` to the
/// last id. Events that were dropped are reported as an event "skipped" without an id.
std::string event_stream_text(const FeedUpdate& update, std::uint64_t& seen);

/// Where a reader goes on that sent this "Last-Event-ID"; those who send none, or anything but a
/// number, begin with what comes next.
std::uint64_t resume_point(std::string_view last_event_id, const EventFeed& feed);

/// Limits the number of readers. A slot is free again when the last copy of its pointer is gone.
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
