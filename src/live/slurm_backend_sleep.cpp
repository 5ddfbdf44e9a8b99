// Nodes that were told to sleep, and may not.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "live/json_at.h"
#include "live/slurm_backend.h"

namespace penstock {

using nlohmann::json;

/// Before an order is sent, or given up because it is not in the journal.
void SlurmBackend::watch_sleep(const Ordered& ordered, bool is_sent) {
  if (ordered.order.record.verb != "sleep") return;
  const json detail = json::parse(ordered.order.record.detail, nullptr, false);
  for (const json& name : list_at(detail, "nodes")) {
    const auto node = ordered.site->mirror().find(name.get<std::string>());
    if (node && is_sent) sleeps_.emplace(ordered.order.record.id, *node);
    if (node && !is_sent) sleepless_.push_back(*node);
  }
}

/// Of what was lost nobody knows: the node counts as awake, and may be told to sleep again.
void SlurmBackend::hear_of_sleep(const JournalAnswer& answer) {
  const auto found = sleeps_.find(answer.request);
  if (found == sleeps_.end()) return;
  if (answer.state != RequestState::confirmed) sleepless_.push_back(found->second);
  sleeps_.erase(found);
}

/// A node that was used since is awake already.
void SlurmBackend::tell_sleepless(Batch& batch) {
  for (const NodeId node : std::exchange(sleepless_, {})) {
    if (state_ == nullptr || state_->node(node).phase != NodePhase::asleep) continue;
    batch.events.emplace_back(NodeFailed{node});
    batch.events.emplace_back(NodeRepaired{node});
    const SlurmSite& at = site(around_.cluster.node(node).site.index);
    const std::string& name = at.mirror().name(node);
    note({.when = batch.now,
          .site = at.options().name,
          .what = "node",
          .detail = json{{"node", name}, {"text", name + " does not sleep as it was told to"}}.dump(
              -1, ' ', false, json::error_handler_t::replace)});
  }
}

}  // namespace penstock
