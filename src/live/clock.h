#pragma once

#include <functional>

#include "base/time.h"

namespace penstock {

/// The time of day for a scheduler, which must never go back: where the system's clock is set back
/// it goes on by itself, a little slower, until the other has caught up.
class LiveClock {
 public:
  virtual ~LiveClock() = default;
  virtual Time now() = 0;
};

class SystemClock final : public LiveClock {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  using System = std::chrono::system_clock::time_point;
  /// Whom it asks; tests have clocks of their own.
  struct Sources {
    std::function<Steady()> steady = std::chrono::steady_clock::now;
    std::function<System()> system = std::chrono::system_clock::now;
  };
  SystemClock() : SystemClock(Sources{}) {}
  explicit SystemClock(Sources sources) : sources_(std::move(sources)) {}

  Time now() override;
  /// By how much the system's clock was last seen to jump; 0 if never. Reading it forgets it.
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
