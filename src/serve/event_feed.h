#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
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
struct FeedNews {
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
  /// What came after `id`, as soon as there is anything; nothing after `patience` or wake(). An id
  /// that was never given (of the daemon before it was restarted) counts as 0.
  FeedNews wait_after(std::uint64_t id, Duration patience) const;
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

}  // namespace penstock
