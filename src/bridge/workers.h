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

/// The one job, or the one task of an array, that a request reads or changes.
struct Subject {
  std::uint32_t job = 0;
  std::optional<std::uint32_t> task{};  ///< nothing: the job, or the whole array
};

/// The subject of a request; nothing if it is about more than one job, or about a job of a
/// federation of clusters, since libslurm then switches all threads to that job's own cluster.
std::optional<Subject> subject_of(const Request& request);

/// Whether the order of two requests may matter.
bool may_conflict(const std::optional<Subject>& one, const std::optional<Subject>& other);

/// Carries out requests on a few threads as if there were one: requests that may conflict are
/// carried out in the order in which they were added, and all results are returned in that order.
class Workers {
 public:
  using Work = std::function<std::string()>;

  explicit Workers(std::size_t count);
  /// Waits for work that has begun; the rest is dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void add(std::optional<Subject> subject, Work work);
  /// The next result in the order of adding; nothing if it is not ready yet.
  std::optional<std::string> next();
  /// How many pieces of work were added whose results were not taken yet.
  std::size_t size() const;
  /// A descriptor that becomes readable when there may be a result to take.
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
