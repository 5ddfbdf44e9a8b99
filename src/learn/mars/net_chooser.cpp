#include "learn/mars/net_chooser.h"

namespace penstock {

NetChooser::NetChooser(const NetShape& shape, std::uint32_t most)
    : observer_(most), windows_(shape.item_features, shape.global_features) {}

std::uint32_t NetChooser::choose(const ActorCritic& net, const QueueWorld& world) {
  windows_.clear();
  windows_.add(observer_.look(world));
  net.logits(windows_, logits_);
  item_ = 0;
  confidence_ = 0;
  if (!chances_.set(std::span<const float>(logits_))) return world.ready().front();
  item_ = chances_.best();
  confidence_ = chances_.probability(item_);
  return observer_.tasks()[item_];
}

}  // namespace penstock
