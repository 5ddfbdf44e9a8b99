#pragma once

#include <span>
#include <string>

#include "learn/queue/queue_world.h"

namespace penstock {

/// What became of a job that was started on a guide's word.
struct Feedback {
  JobId job{};
  double slowdown = 1;  ///< bounded
};

/// Says who starts, one pool at one instant after another.
class Guide {
 public:
  virtual ~Guide() = default;
  /// Worlds that begin alike and of which each may come true. Plays the first as long as its time
  /// is the present: whom it starts then is started in truth. Returns why, for people; nothing if
  /// there is nothing to say.
  virtual std::string play(std::span<QueueWorld> worlds, std::uint32_t pool) = 0;
  /// A job has ended.
  virtual void hear(const Feedback& /*feedback*/) {}
};

}  // namespace penstock
