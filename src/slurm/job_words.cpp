#include "slurm/job_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace penstock::slurm {
namespace {

using Word = std::pair<std::uint32_t, std::string_view>;

constexpr auto kStates = std::to_array<Word>({
    {JOB_PENDING, "pending"},
    {JOB_RUNNING, "running"},
    {JOB_SUSPENDED, "suspended"},
    {JOB_COMPLETE, "completed"},
    {JOB_CANCELLED, "cancelled"},
    {JOB_FAILED, "failed"},
    {JOB_TIMEOUT, "timeout"},
    {JOB_NODE_FAIL, "node_fail"},
    {JOB_PREEMPTED, "preempted"},
    {JOB_BOOT_FAIL, "boot_fail"},
    {JOB_DEADLINE, "deadline"},
    {JOB_OOM, "out_of_memory"},
});

constexpr auto kFlags = std::to_array<Word>({
    {JOB_COMPLETING, "completing"},
    {JOB_CONFIGURING, "configuring"},
    {JOB_POWER_UP_NODE, "powering_up"},
    {JOB_REQUEUE, "requeue"},
    {JOB_REQUEUE_HOLD, "requeue_hold"},
    {JOB_SPECIAL_EXIT, "special_exit"},
    {JOB_RESIZING, "resizing"},
    {JOB_STOPPED, "stopped"},
    {JOB_SIGNALING, "signaling"},
    {JOB_LAUNCH_FAILED, "launch_failed"},
});

constexpr auto kReasons = std::to_array<Word>({
    {WAIT_NO_REASON, "none"},
    {WAIT_PRIORITY, "priority"},
    {WAIT_DEPENDENCY, "dependency"},
    {WAIT_RESOURCES, "resources"},
    {WAIT_PART_NODE_LIMIT, "partition_node_limit"},
    {WAIT_PART_TIME_LIMIT, "partition_time_limit"},
    {WAIT_PART_DOWN, "partition_down"},
    {WAIT_PART_INACTIVE, "partition_inactive"},
    {WAIT_HELD, "held"},
    {WAIT_HELD_USER, "held_by_user"},
    {WAIT_TIME, "begin_time"},
    {WAIT_LICENSES, "licenses"},
    {WAIT_RESERVATION, "reservation"},
    {WAIT_NODE_NOT_AVAIL, "nodes_not_available"},
    {FAIL_DOWN_PARTITION, "partition_down"},
    {FAIL_DOWN_NODE, "node_down"},
    {FAIL_BAD_CONSTRAINTS, "bad_constraints"},
    {FAIL_SYSTEM, "system_failure"},
    {FAIL_LAUNCH, "launch_failed"},
    {FAIL_EXIT_CODE, "exit_code"},
    {FAIL_TIMEOUT, "timeout"},
    {WAIT_CLEANING, "cleaning"},
    {WAIT_PROLOG, "prolog"},
    {WAIT_DEP_INVALID, "dependency_never"},
    {WAIT_MAX_REQUEUE, "too_many_requeues"},
    {WAIT_ARRAY_TASK_LIMIT, "array_task_limit"},
    {WAIT_PART_CONFIG, "partition_config"},
    {FAIL_DEADLINE, "deadline"},
    {FAIL_OOM, "out_of_memory"},
});

template <std::size_t n>
std::string_view word_for(const std::array<Word, n>& table, std::uint32_t number) {
  const auto found = std::ranges::find(table, number, &Word::first);
  return found == table.end() ? "other" : found->second;
}

}  // namespace

std::string_view state_word(std::uint32_t state) {
  return word_for(kStates, state & JOB_STATE_BASE);
}

std::string_view reason_word(std::uint32_t reason) {
  return word_for(kReasons, reason);
}

void write_state_flags(std::uint32_t state, bridge::JsonWriter& out) {
  out.open_list();
  for (const auto& [bit, word] : kFlags)
    if ((state & bit) != 0) out.text(word);
  out.close_list();
}

}  // namespace penstock::slurm
