#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace penstock::bridge {

/// What was last told of each job, so that a poll can tell what is new only.
class ReportedJobs {
 public:
  bool is_empty() const { return told_.empty(); }
  /// Whether it was not told like this before. Now it is.
  bool is_news(std::uint32_t job, std::string_view record);
  /// Was told in an answer about it alone, of which nobody knows how much was taken in: the next
  /// poll tells it again, or that it is gone. Other threads may say so of other jobs meanwhile.
  void tell_again(std::uint32_t job);
  /// Between these two all jobs that there are pass by; the others are forgotten, and named.
  void begin_poll() { ++poll_; }
  std::vector<std::uint32_t> end_poll();

 private:
  struct Told {
    std::optional<std::uint64_t> print{};  ///< of the record; nothing: to be told in any case
    std::uint64_t poll = 0;                ///< in which it was last there
  };
  std::mutex mutex_;  ///< for tell_again
  std::unordered_map<std::uint32_t, Told> told_;
  std::uint64_t poll_ = 0;
};

}  // namespace penstock::bridge
