#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "bridge/command.h"

namespace penstock::bridge {

/// What a request looks at or changes: one job, or one task of an array, and nothing else.
struct Subject {
  std::uint32_t job = 0;
  std::optional<std::uint32_t> task{};  ///< nothing: the job, or the whole array
};

/// Nothing where a request is about more than one job. So is one about a job of a federation of
/// clusters, since libslurm turns to that job's own cluster with all threads at once.
std::optional<Subject> subject_of(const Request& request);

/// May the order of two requests matter?
bool touch(const std::optional<Subject>& one, const std::optional<Subject>& other);

/// Does work on a few threads so that nobody can tell it from one thread but by the time it takes:
/// what touches is done in the order in which it was added, and all results come in that order.
class Workers {
 public:
  using Work = std::function<std::string()>;

  explicit Workers(std::size_t count);
  /// Waits for what has begun; the rest is not done.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void add(std::optional<Subject> subject, Work work);
  /// The result of what was added first among all whose result was not taken, if it is there.
  std::optional<std::string> next();
  /// How many were added whose result was not taken.
  std::size_t size() const;
  /// To be polled for reading: there may be a result to take.
  int ready() const { return ready_.number(); }

 private:
  struct Piece {
    std::optional<Subject> subject{};
    Work work{};
    bool has_begun = false;
    std::optional<std::string> result{};
  };

  void work();
  Piece* next_to_begin();

  mutable std::mutex mutex_;  ///< guards all that follows but the threads
  std::condition_variable wake_;
  std::deque<Piece> pieces_;  ///< whose result was not taken, as they were added
  bool ends_ = false;
  Descriptor ready_;
  std::vector<std::thread> threads_;
};

}  // namespace penstock::bridge
