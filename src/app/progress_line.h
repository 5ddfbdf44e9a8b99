#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace penstock {

/// Shows on stderr how many of the expected jobs have ended: a bar on a terminal,
/// a line every few seconds elsewhere.
class ProgressLine {
 public:
  ProgressLine(bool shown, const std::atomic<std::uint64_t>& done, std::uint64_t expected)
      : shown_(shown), done_(done), expected_(expected) {}

  /// Returns when `finished` says so.
  void watch(const std::function<bool()>& finished);

 private:
  bool shown_;
  const std::atomic<std::uint64_t>& done_;
  std::uint64_t expected_;
};

}  // namespace penstock
