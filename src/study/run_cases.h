#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/in_parallel.h"
#include "base/result.h"

namespace penstock {

/// How the cases of a study are run. All but `run` is called by one thread at a time.
template <class Case>
struct CaseLoop {
  std::size_t count = 0;
  unsigned at_once = 1;  ///< cases at the same time
  std::function<Result<Case>(std::size_t)> run{};
  std::function<void(std::size_t)> begins{};                       ///< may be absent
  std::function<void(std::size_t, std::size_t)> ended{};           ///< and how many have ended
  std::function<Result<Done>(const std::vector<Case>&)> so_far{};  ///< those that have ended
};

/// Runs the cases of one loop on several threads.
template <class Case>
class CaseRunner {
 public:
  explicit CaseRunner(const CaseLoop<Case>& loop) : loop_(loop), cases_(loop.count) {}

  Result<std::vector<Case>> run_all() {
    const auto threads =
        std::clamp<std::size_t>(loop_.at_once, 1, std::max<std::size_t>(loop_.count, 1));
    in_parallel(threads, threads, [this](std::size_t) { work(); });
    if (problem_) return *problem_;
    return so_far();
  }

 private:
  void work() {
    for (auto i = next(); i; i = next()) keep(*i, loop_.run(*i));
  }

  /// The next case to run; none if all are taken or something failed.
  std::optional<std::size_t> next() {
    const std::scoped_lock lock(mutex_);
    if (problem_ || next_ == loop_.count) return std::nullopt;
    if (loop_.begins) loop_.begins(next_);
    return next_++;
  }

  void keep(std::size_t i, Result<Case> result) {
    const std::scoped_lock lock(mutex_);
    if (problem_) return;
    if (!result) {
      problem_ = std::move(result).error();
      return;
    }
    cases_[i] = *std::move(result);
    ++ended_;
    if (loop_.ended) loop_.ended(i, ended_);
    if (!loop_.so_far) return;
    if (auto done = loop_.so_far(so_far()); !done) problem_ = std::move(done).error();
  }

  std::vector<Case> so_far() const {
    std::vector<Case> some;
    for (const std::optional<Case>& each : cases_)
      if (each) some.push_back(*each);
    return some;
  }

  const CaseLoop<Case>& loop_;
  std::vector<std::optional<Case>> cases_;
  std::size_t next_ = 0;
  std::size_t ended_ = 0;
  std::optional<Error> problem_;
  std::mutex mutex_;
};

/// The cases in their order, whichever ended first. After an error no further case begins.
template <class Case>
Result<std::vector<Case>> run_cases(const CaseLoop<Case>& loop) {
  return CaseRunner<Case>(loop).run_all();
}

}  // namespace penstock
