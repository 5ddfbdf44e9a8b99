#include "live/site/gpu_blocks.h"

#include <algorithm>

namespace penstock {

GpuBlocks::Block GpuBlocks::block(const std::string& name, const Placement& where, Time submitted,
                                  Time now) {
  Block block{site_.context.numbers.next(), where};
  site_.mirror.take(where);
  site_.events.submit({.id = block.id,
                       .submitted = std::min(submitted, now),
                       .gpus = gpu_count(where),
                       .requested = site_.options.usual_time,
                       .name = site_.options.name + "/" + name,
                       .home = site_.options.site,
                       .pinned = true});
  site_.events.add(JobStarted{.job = block.id, .where = where, .since = now});
  return block;
}

void GpuBlocks::unblock(const Block& block) {
  site_.mirror.give_back(block.where);
  site_.events.add(JobFinished{block.id, Outcome::completed});
}

void GpuBlocks::drain(NodeId node, Time now) {
  undrain(node);
  Placement where;
  site_.mirror.pick(node, site_.mirror.free_on(node), where);
  drained_.emplace(node, block("drained/" + site_.mirror.name(node), where, now, now));
}

void GpuBlocks::undrain(NodeId node) {
  const auto drained = drained_.find(node);
  if (drained == drained_.end()) return;
  unblock(drained->second);
  drained_.erase(drained);
}

std::uint32_t GpuBlocks::unused_on(NodeId node) const {
  const auto drained = drained_.find(node);
  const std::uint32_t own = drained == drained_.end() ? 0 : gpu_count(drained->second.where);
  return site_.mirror.free_on(node) + own;
}

bool GpuBlocks::set_down(NodeId node) {
  if (!down_.insert(node).second) return false;
  site_.events.add(NodeFailed{node});
  return true;
}

bool GpuBlocks::set_up(NodeId node) {
  if (down_.erase(node) == 0) return false;
  site_.events.add(NodeRepaired{node});
  return true;
}

}  // namespace penstock
