#include "bridge/workers.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace penstock::bridge {

Workers::Workers(std::size_t count) : ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  PENSTOCK_CHECK(count > 0 && ready_.number() >= 0);
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::add(std::optional<Subject> subject, Work work) {
  {
    const std::scoped_lock lock(mutex_);
    pieces_.push_back({.subject = subject, .work = std::move(work)});
  }
  wake_.notify_one();
}

std::optional<std::string> Workers::next() {
  const std::scoped_lock lock(mutex_);
  if (pieces_.empty() || !pieces_.front().result) {
    eventfd_t count = 0;
    eventfd_read(ready_.number(), &count);
    return {};
  }
  std::optional<std::string> result = std::move(pieces_.front().result);
  pieces_.pop_front();
  return result;
}

std::size_t Workers::size() const {
  const std::scoped_lock lock(mutex_);
  return pieces_.size();
}

/// The first that touches nothing unfinished before it; the mutex is held.
Workers::Piece* Workers::next_to_begin() {
  for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
    if (piece->has_begun) continue;
    const bool waits = std::any_of(pieces_.begin(), piece, [&](const Piece& before) {
      return !before.result && touch(before.subject, piece->subject);
    });
    if (!waits) return &*piece;
  }
  return nullptr;
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    Piece* piece = nullptr;
    wake_.wait(lock, [&] { return ends_ || (piece = next_to_begin()) != nullptr; });
    if (ends_) return;
    piece->has_begun = true;
    if (next_to_begin() != nullptr) wake_.notify_one();
    lock.unlock();
    std::string result = piece->work();
    lock.lock();
    piece->result = std::move(result);
    if (pieces_.front().result) eventfd_write(ready_.number(), 1);
  }
}

}  // namespace penstock::bridge
