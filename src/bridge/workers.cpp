#include "bridge/workers.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace penstock::bridge {
namespace {

constexpr std::uint32_t kFirstOfFederation = 1U << 26;  // its bits above say which cluster's it is

const JobName* job_of(const ListJobs& command) {
  return command.job ? &*command.job : nullptr;
}

template <class Command>
const JobName* job_of(const Command& command) {
  if constexpr (requires { command.job; })
    return &command.job;
  else
    return nullptr;
}

std::uint32_t number_in(std::string_view digits) {
  std::uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

std::optional<Subject> subject_of(const Request& request) {
  if (!request.command) return {};
  const JobName* name =
      std::visit([](const auto& command) { return job_of(command); }, *request.command);
  if (name == nullptr) return {};
  const std::string_view text = *name;
  const auto gap = text.find('_');
  Subject subject{.job = number_in(text.substr(0, gap))};
  if (gap != std::string_view::npos) subject.task = number_in(text.substr(gap + 1));
  return subject.job < kFirstOfFederation ? std::optional(subject) : std::nullopt;
}

bool may_conflict(const std::optional<Subject>& one, const std::optional<Subject>& other) {
  if (!one || !other) return true;
  if (one->job != other->job) return false;
  return !one->task || !other->task || *one->task == *other->task;
}

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
      return !before.result && may_conflict(before.subject, piece->subject);
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
