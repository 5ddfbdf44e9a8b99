#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace penstock {

/// How much of some long work is done.
struct WorkProgress {
  std::uint64_t done = 0;
  std::uint64_t expected = 0;
  bool ended = false;  ///< the last call: all work has ended, though less than expected may be done
};

/// Receives the progress. Called on the thread that started the work: every few milliseconds, and
/// once at its end.
using ProgressCallback = std::function<void(const WorkProgress&)>;

/// Receives one line of text for people, without a line break.
using NoteCallback = std::function<void(std::string_view)>;
/// Passes a line on, if there is a callback.
inline void send_note(const NoteCallback& note, std::string_view line) {
  if (note) note(line);
}

/// Calls `work(i)` once for every i below `count`, on up to `threads` other threads, and returns
/// when all calls have returned. Meanwhile the calling thread passes the result of `done` to
/// `progress`, if that is given.
void work_in_parallel(std::size_t count, unsigned threads,
                      const std::function<void(std::size_t)>& work,
                      const ProgressCallback& progress, const std::function<WorkProgress()>& done);

}  // namespace penstock
