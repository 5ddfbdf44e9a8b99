#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace penstock {

/// How much of some long work is done.
struct WorkProgress {
  std::uint64_t done = 0;
  std::uint64_t expected = 0;
  bool ended =
      false;  ///< the last call: nobody works any more, though less than expected may be done
};

/// Hears how far the work is. Called on the thread that asked for the work: every few milliseconds
/// while others do it, and once at its end.
using ProgressCallback = std::function<void(const WorkProgress&)>;

/// Hears one line of commentary for people, without a line break.
using NoteCallback = std::function<void(std::string_view)>;
/// Passes a line on, if anybody listens.
inline void send_note(const NoteCallback& note, std::string_view line) {
  if (note) note(line);
}

/// Calls `work(i)` once for every i below `count`, each on one of up to `threads` threads beside
/// this one, and returns when all calls have returned. `progress`, if there is one, is told what
/// `done` says of the `expected` things.
void work_in_parallel(std::size_t count, unsigned threads,
                      const std::function<void(std::size_t)>& work,
                      const ProgressCallback& progress, const std::function<WorkProgress()>& done);

}  // namespace penstock
