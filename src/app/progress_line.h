#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace penstock {

/// What is done, and to what.
struct ProgressWords {
  const char* what = "simulating";
  const char* things = "jobs";
};

/// Shows on stderr how many of the expected things have ended: a bar on a terminal,
/// a line every few seconds elsewhere.
class ProgressLine {
 public:
  ProgressLine(bool shown, const std::atomic<std::uint64_t>& done, std::uint64_t expected,
               ProgressWords words = {})
      : shown_(shown), done_(done), expected_(expected), words_(words) {}

  /// Returns when `finished` says so.
  void watch(const std::function<bool()>& finished);

 private:
  bool shown_;
  const std::atomic<std::uint64_t>& done_;
  std::uint64_t expected_;
  ProgressWords words_;
};

}  // namespace penstock
