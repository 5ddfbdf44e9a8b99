#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "engine/backend.h"

namespace penstock {

/// What was last said of each job, so that it is not said again and again. Jobs that are gone are
/// forgotten; one that comes back has another id.
class SaidOnce {
 public:
  bool is_new(JobId job, const std::string& text) {
    return std::exchange(said_[job], text) != text;
  }
  void forget(JobId job) { said_.erase(job); }
  /// Of those that are withdrawn before they were ever started nobody tells the end.
  void hear(const Batch& batch) {
    for (const Event& event : batch.events)
      if (const auto* e = std::get_if<JobWithdrawn>(&event)) forget(e->job);
  }
  std::size_t jobs() const { return said_.size(); }

 private:
  std::map<JobId, std::string> said_;
};

}  // namespace penstock
