#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "serve/event_feed.h"

namespace penstock {

/// News as server-sent events; a comment where there are none, as a sign of life. Moves `seen` to
/// the last of them. Those that were forgotten are told as an event "skipped" without an id.
std::string event_stream_text(const FeedNews& news, std::uint64_t& seen);

/// Where a reader goes on that sent this "Last-Event-ID"; those who send none, or anything but a
/// number, begin with what comes next.
std::uint64_t resume_point(std::string_view last_event_id, const EventFeed& feed);

/// At most so many at once. The seat is free again when the last copy of the pointer is gone.
class EventSeats {
 public:
  explicit EventSeats(std::size_t most)
      : taken_(std::make_shared<std::atomic<std::size_t>>(0)), most_(most) {}
  /// Null if all are taken.
  std::shared_ptr<void> take();

 private:
  std::shared_ptr<std::atomic<std::size_t>> taken_;
  std::size_t most_;
};

}  // namespace penstock
