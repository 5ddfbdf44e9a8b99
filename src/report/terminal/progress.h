#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace penstock {

struct ProgressStyle {
  bool terminal = false;   ///< one line rewritten in place; else a line every few seconds
  std::size_t width = 80;  ///< of the terminal
  std::string things = "jobs";
};

/// How far some work has come.
struct ProgressPoint {
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total{};
  Duration elapsed{};
};

/// Decides what to print about long work, and when. It neither prints nor reads a clock: the caller
/// passes the time.
class Progress {
 public:
  Progress(std::string what, ProgressStyle style);

  /// What to print now; nothing while the last output is recent: 100 ms on a terminal, 5 s
  /// elsewhere.
  std::optional<std::string> update(const ProgressPoint& at);

  /// What to print at the end so that the next output begins on a clean line.
  std::string finish() const;

 private:
  std::string bar(const ProgressPoint& at) const;
  std::string line(const ProgressPoint& at) const;

  std::string what_;
  ProgressStyle style_;
  Duration next_;  ///< elapsed time before which nothing is printed
};

}  // namespace penstock
