#pragma once

#include <cstdint>

namespace penstock {

/// How an actor weighs the items of a window.
enum class ActorKind {
  kernel,     ///< each by itself, all by the same network of 32-16-8-1
  attention,  ///< each in the light of the others, then 16-8-1
};

struct NetShape {
  ActorKind kind = ActorKind::kernel;
  std::uint32_t item_features = 0;    ///< at least 1
  std::uint32_t global_features = 0;  ///< only the critic sees them
  friend bool operator==(const NetShape&, const NetShape&) = default;
};

}  // namespace penstock
