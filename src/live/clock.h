#pragma once

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
  Time now() override;
  /// By how much the system's clock was last seen to jump; 0 if never. Reading it forgets it.
  Duration take_jump();

 private:
  Time last_{};
  std::chrono::steady_clock::time_point last_steady_{};
  Duration offset_{};  ///< of the system's clock to the steady one, at the last look
  Duration jump_{};
  bool begun_ = false;
};

}  // namespace penstock
