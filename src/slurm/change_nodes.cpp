#include <unistd.h>

#include <cerrno>

#include "slurm/answers.h"
#include "slurm/api.h"

namespace penstock::slurm {
namespace {

std::uint32_t state_for(bridge::NodeChange change) {
  switch (change) {
    case bridge::NodeChange::drain:
      return NODE_STATE_DRAIN;
    case bridge::NodeChange::resume:
      return NODE_RESUME;
    case bridge::NodeChange::power_down:
      return NODE_STATE_POWER_DOWN;
    case bridge::NodeChange::power_up:
      return NODE_STATE_POWER_UP;
  }
  return NODE_RESUME;
}

}  // namespace

Outcome answer(const bridge::ChangeNodes& request, bridge::JsonWriter& /*out*/) {
  update_node_msg_t change;
  slurm_init_update_node_msg(&change);
  const std::string names = joined(request.nodes);
  change.node_names = lent(names);
  change.node_state = state_for(request.change);
  if (!request.reason.empty()) {
    change.reason = lent(request.reason);
    change.reason_uid = geteuid();
  }
  if (slurm_update_node(&change) != 0) return failure_of(errno);
  return {};
}

}  // namespace penstock::slurm
