#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include "serve/api/api.h"

namespace penstock {

/// Something that one thread wants another to do, and may become tired of waiting for: then either
/// it is never begun, or the one who waits is told that it may have been done.
class Errand {
 public:
  struct Patience {
    std::chrono::milliseconds to_begin{};
    std::chrono::milliseconds to_end{};  ///< from then on
  };

  /// By the one who does it, before it is begun: false if it must not be any more.
  bool begin();
  /// By anybody: what came of it. The first word counts.
  void give(ApiAnswer answer);
  /// By the one who wants it, once. Status 503 is said of what was not done and may be asked for
  /// again, 504 of what may have been.
  ApiAnswer wait(const Patience& patience);

 private:
  enum class Stage : std::uint8_t { asked, begun, given_up };
  std::mutex mutex_;
  std::condition_variable news_;
  Stage stage_ = Stage::asked;         ///< guarded by mutex_
  std::optional<ApiAnswer> answer_{};  ///< guarded by mutex_
};

}  // namespace penstock
