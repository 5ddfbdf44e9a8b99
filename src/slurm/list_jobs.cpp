#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <span>
#include <utility>

#include "bridge/gres.h"
#include "slurm/answers.h"
#include "slurm/api.h"

namespace penstock::slurm {
namespace {

using JobCode = std::pair<std::uint32_t, std::string_view>;

constexpr auto kJobStates = std::to_array<JobCode>({
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

constexpr auto kJobFlags = std::to_array<JobCode>({
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

constexpr auto kJobReasons = std::to_array<JobCode>({
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
std::string_view name_of(const std::array<JobCode, n>& table, std::uint32_t number) {
  const auto found = std::ranges::find(table, number, &JobCode::first);
  return found == table.end() ? "other" : found->second;
}

/// "pending", "running", ...
std::string_view state_name(std::uint32_t state) {
  return name_of(kJobStates, state & JOB_STATE_BASE);
}

/// "held", "resources", ...; "other" for limits of accounts and QOS, whose number is written beside
/// it.
std::string_view reason_name(std::uint32_t reason) {
  return name_of(kJobReasons, reason);
}

/// "completing", "configuring", ...: what goes with the state, as a list.
void write_state_flags(std::uint32_t state, bridge::JsonWriter& out) {
  out.open_list();
  for (const auto& [bit, word] : kJobFlags)
    if ((state & bit) != 0) out.text(word);
  out.close_list();
}

using bridge::GpuCount;
using bridge::JsonWriter;

std::optional<std::int64_t> known(std::int64_t value, std::int64_t least) {
  return value < least ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> second(time_t when) {
  return known(when, 1);
}

bool waits(const slurm_job_info_t& job) {
  return (job.job_state & JOB_STATE_BASE) == JOB_PENDING;
}

/// Users by number, asked of the system once a poll.
class Users {
 public:
  std::string_view name(const slurm_job_info_t& job) {
    if (job.user_name != nullptr) return job.user_name;
    auto [found, is_new] = names_.try_emplace(job.user_id);
    if (is_new) found->second = user_name(job.user_id);
    return found->second;
  }

 private:
  std::map<uid_t, std::string> names_;
};

std::int64_t sum(const std::vector<GpuCount>& gpus) {
  std::int64_t count = 0;
  for (const GpuCount& some : gpus) count += some.count;
  return count;
}

/// The one type that all of them have; "": any, or several.
std::string type_of(const std::vector<GpuCount>& gpus) {
  return gpus.size() == 1 ? gpus[0].type : "";
}

/// As asked: in total, by node or by task; the total is worked out where it was not said.
void write_gpus_asked(const slurm_job_info_t& job, JsonWriter& out) {
  const auto in_all = bridge::gpus_of(or_empty(job.tres_per_job));
  const auto by_node = bridge::gpus_of(or_empty(job.tres_per_node));
  const auto by_task = bridge::gpus_of(or_empty(job.tres_per_task));
  const auto tasks = unless_special(job.num_tasks).value_or(1);
  const std::int64_t total = !in_all.empty()    ? sum(in_all)
                             : !by_node.empty() ? sum(by_node) * job.num_nodes
                                                : sum(by_task) * tasks;
  std::string type = type_of(!in_all.empty() ? in_all : !by_node.empty() ? by_node : by_task);
  out.name("gpus").number(total);
  out.name("gpus_per_node").number(by_node.empty() ? std::nullopt : std::optional(sum(by_node)));
  out.name("gpus_per_task").number(by_task.empty() ? std::nullopt : std::optional(sum(by_task)));
  out.name("gpu_type").text(type.empty() ? nullptr : type.c_str());
  const auto clock = bridge::clock_of(or_empty(job.tres_freq));
  out.name("clock_mhz").number(known(clock, 1)).name("tres_freq").text(job.tres_freq);
}

/// As held: indices by node. Slurm tells them in the order of the job's nodes.
void write_gpus_held(const slurm_job_info_t& job, const std::vector<std::string>& nodes,
                     JsonWriter& out) {
  out.name("gpus_held").open_list();
  for (std::size_t i = 0; i < nodes.size() && i < job.gres_detail_cnt; ++i)
    for (const GpuCount& gpus : bridge::gpus_of(or_empty(job.gres_detail_str[i]))) {
      out.open_object()
          .name("node")
          .text(std::string_view(nodes[i]))
          .name("type")
          .text(std::string_view(gpus.type));
      out.name("indices").open_list();
      for (const std::int64_t index : gpus.indices) out.number(index);
      out.close_list().close_object();
    }
  out.close_list();
}

void write_names(slurm_job_info_t& job, Users& users, JsonWriter& out) {
  const bool is_task = job.array_job_id > 0 && unless_special(job.array_task_id);
  out.name("job").number(std::int64_t{job.job_id}).name("ref");
  out.text(std::string_view(is_task ? fmt::format("{}_{}", job.array_job_id, job.array_task_id)
                                    : fmt::format("{}", job.job_id)));
  out.name("array_job").number(known(job.array_job_id, 1));
  out.name("array_task")
      .number(unless_special(job.array_task_id))
      .name("array_tasks")
      .text(job.array_task_str);
  out.name("name")
      .text(or_empty(job.name))
      .name("user")
      .text(users.name(job))
      .name("uid")
      .number(std::int64_t{job.user_id});
  out.name("account").text(job.account).name("partition").text(or_empty(job.partition));
  out.name("comment")
      .text(or_empty(job.comment))
      .name("admin_comment")
      .text(or_empty(job.admin_comment));
}

void write_state(const slurm_job_info_t& job, JsonWriter& out) {
  out.name("state").text(state_name(job.job_state)).name("flags");
  write_state_flags(job.job_state, out);
  out.name("reason")
      .text(reason_name(job.state_reason))
      .name("reason_number")
      .number(std::int64_t{job.state_reason});
  out.name("reason_text").text(job.state_desc);
  out.name("held").boolean((job.job_state & JOB_STATE_BASE) == JOB_PENDING && job.priority == 0);
  out.name("priority")
      .number(std::int64_t{job.priority})
      .name("restarts")
      .number(std::int64_t{job.restart_cnt});
  out.name("requeue").boolean(job.requeue != 0).name("batch").boolean(job.batch_flag != 0);
  const int status = static_cast<int>(job.exit_code);
  out.name("exit_code").number(std::int64_t{WIFEXITED(status) ? WEXITSTATUS(status) : 0});
  out.name("exit_signal").number(std::int64_t{WIFSIGNALED(status) ? WTERMSIG(status) : 0});
}

void write_times(const slurm_job_info_t& job, JsonWriter& out) {
  out.name("submitted")
      .number(second(job.submit_time))
      .name("eligible")
      .number(second(job.eligible_time));
  out.name("dependency").text(job.dependency);
  out.name("started").number(waits(job) ? std::nullopt : second(job.start_time));
  const bool is_over = (job.job_state & JOB_STATE_BASE) > JOB_SUSPENDED;
  out.name("ended").number(is_over ? second(job.end_time) : std::nullopt);
  out.name("time_limit_min").number(unless_special(job.time_limit));
}

void write_places(slurm_job_info_t& job, JsonWriter& out) {
  const auto nodes = names_of(job.nodes);
  out.name("nodes").texts(nodes).name("node_count").number(std::int64_t{job.num_nodes});
  out.name("required_nodes")
      .texts(names_of(job.req_nodes))
      .name("excluded_nodes")
      .texts(names_of(job.exc_nodes));
  out.name("features").text(job.features).name("cpus").number(std::int64_t{job.num_cpus});
  write_gpus_asked(job, out);
  write_gpus_held(job, nodes, out);
  std::array<char, 4096> std_out{};
  if (job.batch_flag != 0) slurm_get_job_stdout(std_out.data(), std_out.size(), &job);
  out.name("work_dir")
      .text(job.work_dir)
      .name("std_out")
      .text(std_out[0] == '\0' ? nullptr : std_out.data());
}

/// All of a record by which one can tell whether it is news. When Slurm expects a job that waits to
/// start is its own guess, and another one every few seconds: no news.
JsonWriter begun(slurm_job_info_t& job, Users& users) {
  JsonWriter out;
  out.open_object();
  write_names(job, users, out);
  write_state(job, out);
  write_times(job, out);
  write_places(job, out);
  return out;
}

std::string ended(const slurm_job_info_t& job, JsonWriter record) {
  record.name("expected_start").number(waits(job) ? second(job.start_time) : std::nullopt);
  return record.close_object().written();
}

void write_poll(std::span<slurm_job_info_t> jobs, bool only_changed, bridge::ReportedJobs& reported,
                JsonWriter& out) {
  out.name("jobs").open_list();
  Users users;
  for (slurm_job_info_t& job : jobs) {
    JsonWriter record = begun(job, users);
    const bool is_changed = reported.is_changed(job.job_id, record.written());
    if (is_changed || !only_changed) out.raw(ended(job, std::move(record)));
  }
  out.close_list();
}

void write_some(std::span<slurm_job_info_t> jobs, bridge::ReportedJobs& reported, JsonWriter& out) {
  out.name("jobs").open_list();
  Users users;
  for (slurm_job_info_t& job : jobs) {
    reported.report_again(job.job_id);
    out.raw(ended(job, begun(job, users)));
  }
  out.close_list();
}

std::optional<CommandFailure> answer_one(const std::string& name, bridge::ReportedJobs& reported,
                                         JsonWriter& out) {
  int number = 0;
  const JobsMessage found = load_job(name, number);
  if (number != 0) return failure_of(number);
  const bool is_task = name.find('_') != std::string::npos;
  slurm_job_info_t* record = record_of(*found, name);
  if (record == nullptr) return failure_of(ESLURM_INVALID_JOB_ID);
  const auto all = std::span(found->job_array, found->record_count);
  out.name("last_update").number(std::int64_t{found->last_update});
  write_some(is_task ? std::span(record, 1) : all, reported, out);
  return {};
}

}  // namespace

std::optional<CommandFailure> answer(const bridge::ListJobs& request,
                                     bridge::ReportedJobs& reported, JsonWriter& out) {
  if (request.job) return answer_one(*request.job, reported, out);
  job_info_msg_t* loaded = nullptr;
  const int number =
      slurm_load_jobs(request.since, &loaded, SHOW_ALL | SHOW_DETAIL) == 0 ? 0 : errno;
  const JobsMessage found(loaded);
  if (number == SLURM_NO_CHANGE_IN_DATA) {
    out.name("last_update").number(request.since).name("unchanged").boolean(true);
    return {};
  }
  if (number != 0) return failure_of(number);
  const bool only_changed = request.news && !reported.is_empty();
  out.name("last_update").number(std::int64_t{found->last_update});
  out.name("news").boolean(only_changed);
  reported.begin_poll();
  write_poll({found->job_array, found->record_count}, only_changed, reported, out);
  out.name("gone").open_list();
  for (const std::uint32_t job : reported.end_poll())
    if (only_changed) out.number(std::int64_t{job});
  out.close_list();
  return {};
}

}  // namespace penstock::slurm
