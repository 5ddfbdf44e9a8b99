#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include "bridge/gres.h"
#include "slurm/answers.h"
#include "slurm/api.h"

namespace penstock::slurm {
namespace {

using bridge::GpuCount;
using bridge::JsonWriter;
using NodeCode = std::pair<std::uint32_t, std::string_view>;
using PartitionsOf = std::map<std::string, std::vector<std::string>>;

constexpr auto kNodeStates = std::to_array<NodeCode>({
    {NODE_STATE_DOWN, "down"},
    {NODE_STATE_IDLE, "idle"},
    {NODE_STATE_ALLOCATED, "allocated"},
    {NODE_STATE_MIXED, "mixed"},
    {NODE_STATE_ERROR, "error"},
    {NODE_STATE_FUTURE, "future"},
});

constexpr auto kNodeFlags = std::to_array<NodeCode>({
    {NODE_STATE_DRAIN, "drain"},
    {NODE_STATE_COMPLETING, "completing"},
    {NODE_STATE_NO_RESPOND, "no_respond"},
    {NODE_STATE_POWERED_DOWN, "powered_down"},
    {NODE_STATE_POWERING_DOWN, "powering_down"},
    {NODE_STATE_POWERING_UP, "powering_up"},
    {NODE_STATE_POWER_DOWN, "power_down"},
    {NODE_STATE_POWER_UP, "power_up"},
    {NODE_STATE_POWER_DRAIN, "power_drain"},
    {NODE_STATE_FAIL, "fail"},
    {NODE_STATE_MAINT, "maintenance"},
    {NODE_STATE_RES, "reserved"},
    {NODE_STATE_PLANNED, "planned"},
    {NODE_STATE_INVALID_REG, "invalid"},
    {NODE_STATE_REBOOT_REQUESTED, "reboot_requested"},
    {NODE_STATE_REBOOT_ISSUED, "reboot_issued"},
});

std::string_view node_state_name(std::uint32_t state) {
  const auto found = std::ranges::find(kNodeStates, state & NODE_STATE_BASE, &NodeCode::first);
  return found == kNodeStates.end() ? "unknown" : found->second;
}

/// GPUs by type, those there are and those in use.
void write_gpus(const node_info_t& node, JsonWriter& out) {
  const auto used = bridge::gpus_of(or_empty(node.gres_used));
  out.name("gpus").open_list();
  for (const GpuCount& there : bridge::gpus_of(or_empty(node.gres))) {
    const auto busy = std::ranges::find(used, there.type, &GpuCount::type);
    out.open_object()
        .name("type")
        .text(std::string_view(there.type))
        .name("total")
        .number(there.count);
    out.name("used")
        .number(busy == used.end() ? std::int64_t{0} : busy->count)
        .name("used_indices")
        .open_list();
    if (busy != used.end())
      for (const std::int64_t index : busy->indices) out.number(index);
    out.close_list().close_object();
  }
  out.close_list();
}

void write_node(const node_info_t& node, const PartitionsOf& partitions, JsonWriter& out) {
  out.open_object()
      .name("name")
      .text(or_empty(node.name))
      .name("state")
      .text(node_state_name(node.node_state));
  out.name("flags").open_list();
  for (const auto& [bit, word] : kNodeFlags)
    if ((node.node_state & bit) != 0) out.text(word);
  out.close_list();
  write_gpus(node, out);
  out.name("cpus")
      .number(std::int64_t{node.cpus})
      .name("memory_mb")
      .number(static_cast<std::int64_t>(node.real_memory));
  out.name("features").texts(split_list(node.features)).name("partitions");
  const auto in = partitions.find(std::string(or_empty(node.name)));
  out.texts(in == partitions.end() ? std::vector<std::string>{} : in->second);
  out.name("reason").text(node.reason).close_object();
}

PartitionsMessage load_partitions(int& number) {
  partition_info_msg_t* found = nullptr;
  number = slurm_load_partitions(0, &found, SHOW_ALL) == 0 ? 0 : errno;
  return PartitionsMessage(found);
}

PartitionsOf by_node(const partition_info_msg_t& message) {
  PartitionsOf partitions;
  for (std::uint32_t i = 0; i < message.record_count; ++i)
    for (const std::string& node : names_of(message.partition_array[i].nodes))
      partitions[node].emplace_back(or_empty(message.partition_array[i].name));
  return partitions;
}

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

std::optional<CommandFailure> answer(const bridge::ListNodes& request, JsonWriter& out) {
  node_info_msg_t* loaded = nullptr;
  int number = slurm_load_node(request.since, &loaded, SHOW_ALL | SHOW_DETAIL) == 0 ? 0 : errno;
  const NodesMessage nodes(loaded);
  if (number == SLURM_NO_CHANGE_IN_DATA) {
    out.name("last_update").number(request.since).name("unchanged").boolean(true);
    return {};
  }
  if (number != 0) return failure_of(number);
  const PartitionsMessage partitions = load_partitions(number);
  if (number != 0) return failure_of(number);
  const PartitionsOf membership = by_node(*partitions);
  out.name("last_update").number(std::int64_t{nodes->last_update}).name("nodes").open_list();
  for (std::uint32_t i = 0; i < nodes->record_count; ++i)
    if (nodes->node_array[i].name != nullptr) write_node(nodes->node_array[i], membership, out);
  out.close_list();
  return {};
}

std::optional<CommandFailure> answer(const bridge::ListPartitions& /*request*/, JsonWriter& out) {
  int number = 0;
  const PartitionsMessage found = load_partitions(number);
  if (number != 0) return failure_of(number);
  out.name("partitions").open_list();
  for (std::uint32_t i = 0; i < found->record_count; ++i) {
    const partition_info_t& partition = found->partition_array[i];
    out.open_object().name("name").text(or_empty(partition.name));
    out.name("up").boolean(partition.state_up == PARTITION_UP);
    out.name("default").boolean((partition.flags & PART_FLAG_DEFAULT) != 0);
    out.name("nodes")
        .texts(names_of(partition.nodes))
        .name("max_time_min")
        .number(unless_special(partition.max_time));
    out.name("default_time_min").number(unless_special(partition.default_time)).close_object();
  }
  out.close_list();
  return {};
}

std::optional<CommandFailure> answer(const bridge::ChangeNodes& request,
                                     bridge::JsonWriter& /*out*/) {
  update_node_msg_t change;
  slurm_init_update_node_msg(&change);
  const std::string names = joined(request.nodes);
  change.node_names = c_string(names);
  change.node_state = state_for(request.change);
  if (!request.reason.empty()) {
    change.reason = c_string(request.reason);
    change.reason_uid = geteuid();
  }
  if (slurm_update_node(&change) != 0) return failure_of(errno);
  return {};
}

}  // namespace penstock::slurm
