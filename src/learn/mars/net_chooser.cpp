#include "learn/mars/net_chooser.h"

namespace penstock {

NetChooser::NetChooser(const ActorCritic& net, std::uint32_t most)
    : net_(&net),
      observer_(most),
      windows_(net.shape().item_features, net.shape().global_features) {}

std::uint32_t NetChooser::choose(const QueueWorld& world) {
  windows_.clear();
  windows_.add(observer_.look(world));
  net_->logits(windows_, logits_);
  confidence_ = 0;
  if (!chances_.set(std::span<const float>(logits_))) return world.ready().front();
  const std::uint32_t best = chances_.best();
  confidence_ = chances_.probability(best);
  return observer_.tasks()[best];
}

}  // namespace penstock
