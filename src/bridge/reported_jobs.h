#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace penstock::bridge {

/// Remembers what was last reported of each job, so that a poll can report changes only.
class ReportedJobs {
 public:
  bool is_empty() const { return reported_.empty(); }
  /// Whether the record differs from what was last reported; marks it as reported.
  bool is_changed(std::uint32_t job, std::string_view record);
  /// The job was reported in an answer about it alone, and the caller may not have used that
  /// answer: the next poll reports it again, or that it is gone. Other threads may call this at the
  /// same time for other jobs.
  void report_again(std::uint32_t job);
  /// Every existing job must be passed to is_changed() between these two calls. end_poll() forgets
  /// all others and returns them.
  void begin_poll() { ++poll_; }
  std::vector<std::uint32_t> end_poll();

 private:
  struct Reported {
    std::optional<std::uint64_t>
        print{};             ///< a hash of the record; nothing: to be reported in any case
    std::uint64_t poll = 0;  ///< in which it was last there
  };
  std::mutex mutex_;  ///< for report_again
  std::unordered_map<std::uint32_t, Reported> reported_;
  std::uint64_t poll_ = 0;
};

}  // namespace penstock::bridge
