#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <set>
#include <vector>

#include "bridge/gres.h"
#include "slurm/answers.h"
#include "slurm/api.h"

namespace penstock::slurm {
namespace {

/// GPUs, clock and nodes in Slurm's words; an empty text makes Slurm forget an earlier wish.
struct ResourceText {
  std::optional<std::string> gpus_per_node{};
  std::optional<std::string> gpus_per_job{};
  std::optional<std::string> gpus_per_task{};
  std::optional<std::string> clock{};
  std::optional<std::string> nodes{};

  /// Must outlive the call that the job is handed to.
  void attach_to(job_desc_msg_t& job) const;
};

void set_if_given(const std::optional<std::string>& text, char*& place) {
  if (text) place = c_string(*text);
}

void ResourceText::attach_to(job_desc_msg_t& job) const {
  set_if_given(gpus_per_node, job.tres_per_node);
  set_if_given(gpus_per_job, job.tres_per_job);
  set_if_given(gpus_per_task, job.tres_per_task);
  set_if_given(clock, job.tres_freq);
  set_if_given(nodes, job.req_nodes);
}

/// "gres:gpu:v100:4"; without a type: of any.
std::string gpu_text(const std::string& type, std::int64_t count) {
  return type.empty() ? fmt::format("gres:gpu:{}", count)
                      : fmt::format("gres:gpu:{}:{}", type, count);
}

/// "gpu:1200"; 0: none.
std::string clock_text(std::int64_t megahertz) {
  return megahertz == 0 ? "" : fmt::format("gpu:{}", megahertz);
}

/// Slurm answers for a task of an array, or for tasks that differ, one by one: the first refusal
/// counts.
std::optional<CommandFailure> first_refusal(int failed, const job_array_resp_msg_t* by_task) {
  if (failed != 0) return failure_of(errno);
  if (by_task == nullptr) return {};
  for (std::uint32_t i = 0; i < by_task->job_array_count; ++i)
    if (by_task->error_code[i] != 0) return failure_of(static_cast<int>(by_task->error_code[i]));
  return {};
}

void set_hold(bool hold, job_desc_msg_t& change) {
  change.priority = hold ? 0 : INFINITE;
  change.alloc_sid = 0;  // as an administrator: the job's owner cannot release it
}

void fill_update(const bridge::UpdateJob& request, job_desc_msg_t& change) {
  change.job_id_str = c_string(request.job);
  if (request.hold) set_hold(*request.hold, change);
  if (request.priority) change.priority = static_cast<std::uint32_t>(*request.priority);
  if (request.node_count)
    change.min_nodes = change.max_nodes = static_cast<std::uint32_t>(*request.node_count);
  if (request.start_now) change.begin_time = std::time(nullptr);
  if (request.comment) change.comment = c_string(*request.comment);
  if (request.admin_comment) change.admin_comment = c_string(*request.admin_comment);
  if (request.time_limit) change.time_limit = static_cast<std::uint32_t>(*request.time_limit);
}

/// Slurm adds a changed request to the earlier one unless that is of the same kind: so whatever was
/// asked by job or by task is taken back, and a type stays as it was.
std::optional<CommandFailure> request_gpus(const slurm_job_info_t& job, std::int64_t per_node,
                                           ResourceText& resources) {
  std::set<std::string> types;
  for (const char* asked : {job.tres_per_node, job.tres_per_job, job.tres_per_task})
    for (const bridge::GpuCount& gpus : bridge::gpus_of(asked == nullptr ? "" : asked))
      types.insert(gpus.type);
  if (types.size() > 1)
    return CommandFailure{.code = "refused", .text = "the job asks for several types of GPUs"};
  resources.gpus_per_node = gpu_text(types.empty() ? "" : *types.begin(), per_node);
  if (job.tres_per_job != nullptr) resources.gpus_per_job = "";
  if (job.tres_per_task != nullptr) resources.gpus_per_task = "";
  return {};
}

bool changes_place(const bridge::UpdateJob& request) {
  return request.nodes || request.node_count || request.gpus_per_node || request.start_now;
}

/// What Slurm says of the job decides how, and whether, it can be placed elsewhere: while a
/// requeued job still completes, Slurm says yes to a new size and start and then forgets them.
std::optional<CommandFailure> request_nodes(const bridge::UpdateJob& request,
                                            ResourceText& resources) {
  int number = 0;
  const JobsMessage found = load_job(request.job, number);
  if (number != 0) return failure_of(number);
  const slurm_job_info_t* record = record_of(*found, request.job);
  if (record == nullptr) return failure_of(ESLURM_INVALID_JOB_ID);
  const slurm_job_info_t& job = *record;
  if ((job.job_state & JOB_COMPLETING) != 0)
    return CommandFailure{.code = "try_again", .text = "the job is still completing"};
  if ((job.job_state & JOB_STATE_BASE) != JOB_PENDING) return failure_of(ESLURM_JOB_NOT_PENDING);
  if (request.nodes) resources.nodes = joined(*request.nodes);
  return request.gpus_per_node ? request_gpus(job, *request.gpus_per_node, resources)
                               : std::optional<CommandFailure>{};
}

std::uint16_t flags_for(bridge::SignalTo to) {
  switch (to) {
    case bridge::SignalTo::batch:
      return KILL_JOB_BATCH;
    case bridge::SignalTo::steps:
      return KILL_STEPS_ONLY;
    case bridge::SignalTo::all:
      return KILL_FULL_JOB;
  }
  return KILL_JOB_BATCH;
}

/// "NAME=value" of each, lent as the list that Slurm wants; PATH is there even if nobody gave one.
class Environment {
 public:
  explicit Environment(std::map<std::string, std::string> variables) {
    variables.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
    for (const auto& [name, value] : variables) lines_.push_back(fmt::format("{}={}", name, value));
    for (const std::string& line : lines_) pointers_.push_back(c_string(line));
  }
  void attach_to(job_desc_msg_t& job) {
    job.environment = pointers_.data();
    job.env_size = static_cast<std::uint32_t>(pointers_.size());
  }

 private:
  std::vector<std::string> lines_;
  std::vector<char*> pointers_;
};

char* unless_empty(const std::string& text) {
  return text.empty() ? nullptr : c_string(text);
}

ResourceText resource_text_of(const bridge::SubmitJob& request) {
  ResourceText resources;
  const bridge::GpuRequest& gpus = request.gpus;
  if (gpus.per_node) resources.gpus_per_node = gpu_text(gpus.type, *gpus.per_node);
  if (gpus.total) resources.gpus_per_job = gpu_text(gpus.type, *gpus.total);
  if (request.clock) resources.clock = clock_text(*request.clock);
  if (!request.nodes.empty()) resources.nodes = joined(request.nodes);
  return resources;
}

void fill_submission(const bridge::SubmitJob& request, job_desc_msg_t& job) {
  job.script = c_string(request.script);
  job.name = unless_empty(request.name);
  job.partition = unless_empty(request.partition);
  job.account = unless_empty(request.account);
  job.comment = unless_empty(request.comment);
  job.work_dir = c_string(request.work_dir);
  job.std_out = unless_empty(request.std_out);
  job.array_inx = unless_empty(request.array);
  job.user_id = geteuid();
  job.group_id = getegid();
  job.min_nodes = static_cast<std::uint32_t>(request.node_count.value_or(1));
  if (request.node_count) job.max_nodes = job.min_nodes;
  if (request.cpus) job.min_cpus = static_cast<std::uint32_t>(*request.cpus);
  if (request.memory) job.pn_min_memory = static_cast<std::uint64_t>(*request.memory);
  if (request.time_limit) job.time_limit = static_cast<std::uint32_t>(*request.time_limit);
  if (request.hold) job.priority = 0;
  if (request.append) job.open_mode = OPEN_MODE_APPEND;
}

}  // namespace

std::optional<CommandFailure> answer(const bridge::UpdateJob& request,
                                     bridge::JsonWriter& /*out*/) {
  ResourceText resources;
  if (request.clock) resources.clock = clock_text(*request.clock);
  if (changes_place(request))
    if (std::optional<CommandFailure> failure = request_nodes(request, resources)) return failure;
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  resources.attach_to(change);
  fill_update(request, change);
  job_array_resp_msg_t* by_task = nullptr;
  errno = 0;
  const int failed = slurm_update_job2(&change, &by_task);
  const ArrayMessage owned(by_task);
  return first_refusal(failed, by_task);
}

std::optional<CommandFailure> answer(const bridge::Requeue& request, bridge::JsonWriter& /*out*/) {
  job_array_resp_msg_t* by_task = nullptr;
  const int failed =
      slurm_requeue2(c_string(request.job), request.hold ? JOB_REQUEUE_HOLD : 0, &by_task);
  const ArrayMessage owned(by_task);
  return first_refusal(failed, by_task);
}

std::optional<CommandFailure> answer(const bridge::SignalJob& request,
                                     bridge::JsonWriter& /*out*/) {
  const auto number = static_cast<std::uint16_t>(request.number);
  if (slurm_kill_job2(request.job.c_str(), number, flags_for(request.to), nullptr) != 0)
    return failure_of(errno);
  return {};
}

std::optional<CommandFailure> answer(const bridge::CancelJob& request,
                                     bridge::JsonWriter& /*out*/) {
  if (slurm_kill_job2(request.job.c_str(), SIGKILL, 0, nullptr) != 0) return failure_of(errno);
  return {};
}

std::optional<CommandFailure> answer(const bridge::SubmitJob& request, bridge::JsonWriter& out) {
  job_desc_msg_t job;
  slurm_init_job_desc_msg(&job);
  fill_submission(request, job);
  Environment environment(request.environment);
  environment.attach_to(job);
  const ResourceText resources = resource_text_of(request);
  resources.attach_to(job);
  submit_response_msg_t* response = nullptr;
  if (slurm_submit_batch_job(&job, &response) != 0) return failure_of(errno);
  const SubmitMessage owned(response);
  out.name("job")
      .number(std::int64_t{response->job_id})
      .name("message")
      .text(response->job_submit_user_msg);
  return {};
}

}  // namespace penstock::slurm
