#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "learn/queue/queue_world.h"

namespace penstock {

/// What became of a job that was started on a guide's word.
struct Feedback {
  JobId job{};
  double slowdown = 1;  ///< bounded
  Duration run{};
};

/// Worlds that begin at one instant and of which each may come true; made when first asked for.
/// Those of the waiting tasks that matter least may be missing in them.
using Futures = std::function<std::span<const QueueWorld>()>;

/// By whom a world was played, for people.
struct Played {
  std::string_view by{};  ///< a strategy or a network; valid until the next play
  bool is_network = false;
  std::string reason{};  ///< why by this one; empty if there is nothing to say
};

/// Says who starts, one pool at one instant after another.
class Guide {
 public:
  virtual ~Guide() = default;
  /// Plays the world as long as its time is the present: whom it starts then is started in truth.
  virtual Played play(QueueWorld& world, const Futures& futures, std::uint32_t pool) = 0;
  /// A job has ended.
  virtual void hear(const Feedback& /*feedback*/) {}
};

}  // namespace penstock
