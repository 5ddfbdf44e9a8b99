#include "app/signal_wait.h"

namespace penstock {

SignalWait::SignalWait() {
  sigemptyset(&awaited_);
  sigaddset(&awaited_, SIGINT);
  sigaddset(&awaited_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
}

SignalWait::~SignalWait() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalWait::arrived_within(Duration pause) const {
  const auto ms = pause.count();
  timespec time{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000};
  return sigtimedwait(&awaited_, nullptr, &time) > 0;
}

}  // namespace penstock
