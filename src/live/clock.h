#pragma once

#include <functional>

#include "base/time.h"

namespace penstock {

/// The time of day for a scheduler. It never goes back: when the system's clock is set back, it
/// runs on, a little slower, until the system's clock has caught up.
class LiveClock {
 public:
  virtual ~LiveClock() = default;
  virtual Time now() = 0;
};

class SystemClock final : public LiveClock {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  using System = std::chrono::system_clock::time_point;
  /// The clocks that it reads; tests supply their own.
  struct Sources {
    std::function<Steady()> steady = std::chrono::steady_clock::now;
    std::function<System()> system = std::chrono::system_clock::now;
  };
  SystemClock() : SystemClock(Sources{}) {}
  explicit SystemClock(Sources sources) : sources_(std::move(sources)) {}

  Time now() override;
  /// The last jump of the system's clock; 0 if there was none since the last call.
  Duration take_jump();

 private:
  Sources sources_;
  Time last_{};
  Steady last_steady_{};
  Duration offset_{};  ///< of the system's clock to the steady one, at the last look
  Duration jump_{};
  bool begun_ = false;
};

}  // namespace penstock
