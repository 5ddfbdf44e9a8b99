#pragma once

#include <optional>

#include "base/time.h"

namespace penstock {

/// Whether something is well, and since when it has been so.
class Standing {
 public:
  void see(bool well, Time now) {
    if (since_ && well == well_) return;
    well_ = well;
    since_ = now;
  }
  /// Nothing before it was first looked at.
  const std::optional<Time>& since() const { return since_; }

 private:
  bool well_ = false;
  std::optional<Time> since_;
};

}  // namespace penstock
