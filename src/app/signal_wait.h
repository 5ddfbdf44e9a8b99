#pragma once

#include <csignal>

#include "base/time.h"

namespace penstock {

/// While it lives, Ctrl-C and SIGTERM do not end the program but end a wait. For programs with
/// one thread at that time.
class SignalWait {
 public:
  SignalWait();
  ~SignalWait();
  SignalWait(const SignalWait&) = delete;
  SignalWait& operator=(const SignalWait&) = delete;

  /// Sleeps; true as soon as one has come.
  bool arrived_within(Duration pause) const;

 private:
  sigset_t awaited_{};
  sigset_t before_{};
};

}  // namespace penstock
