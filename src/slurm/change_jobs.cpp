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
struct WishText {
  std::optional<std::string> gpus_per_node{};
  std::optional<std::string> gpus_per_job{};
  std::optional<std::string> gpus_per_task{};
  std::optional<std::string> clock{};
  std::optional<std::string> nodes{};

  /// Must outlive the call that the job is handed to.
  void lend_to(job_desc_msg_t& job) const;
};

void lend(const std::optional<std::string>& text, char*& place) {
  if (text) place = lent(*text);
}

void WishText::lend_to(job_desc_msg_t& job) const {
  lend(gpus_per_node, job.tres_per_node);
  lend(gpus_per_job, job.tres_per_job);
  lend(gpus_per_task, job.tres_per_task);
  lend(clock, job.tres_freq);
  lend(nodes, job.req_nodes);
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
Outcome first_refusal(int failed, const job_array_resp_msg_t* by_task) {
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
  change.job_id_str = lent(request.job);
  if (request.hold) set_hold(*request.hold, change);
  if (request.priority) change.priority = static_cast<std::uint32_t>(*request.priority);
  if (request.node_count)
    change.min_nodes = change.max_nodes = static_cast<std::uint32_t>(*request.node_count);
  if (request.start_now) change.begin_time = std::time(nullptr);
  if (request.comment) change.comment = lent(*request.comment);
  if (request.admin_comment) change.admin_comment = lent(*request.admin_comment);
  if (request.time_limit) change.time_limit = static_cast<std::uint32_t>(*request.time_limit);
}

/// Slurm adds a changed request to the earlier one unless that is of the same kind: so whatever was
/// asked by job or by task is taken back, and a type stays as it was.
Outcome wish_gpus(const slurm_job_info_t& job, std::int64_t per_node, WishText& wish) {
  std::set<std::string> types;
  for (const char* asked : {job.tres_per_node, job.tres_per_job, job.tres_per_task})
    for (const bridge::GpuCount& gpus : bridge::gpus_of(asked == nullptr ? "" : asked))
      types.insert(gpus.type);
  if (types.size() > 1)
    return Failure{.code = "refused", .text = "the job asks for several types of GPUs"};
  wish.gpus_per_node = gpu_text(types.empty() ? "" : *types.begin(), per_node);
  if (job.tres_per_job != nullptr) wish.gpus_per_job = "";
  if (job.tres_per_task != nullptr) wish.gpus_per_task = "";
  return {};
}

bool changes_place(const bridge::UpdateJob& request) {
  return request.nodes || request.node_count || request.gpus_per_node || request.start_now;
}

/// What Slurm says of the job decides how, and whether, it can be placed elsewhere: while a
/// requeued job still completes, Slurm says yes to a new size and start and then forgets them.
Outcome wish_place(const bridge::UpdateJob& request, WishText& wish) {
  int number = 0;
  const JobsMessage found = load_job(request.job, number);
  if (number != 0) return failure_of(number);
  const slurm_job_info_t* record = record_of(*found, request.job);
  if (record == nullptr) return failure_of(ESLURM_INVALID_JOB_ID);
  const slurm_job_info_t& job = *record;
  if ((job.job_state & JOB_COMPLETING) != 0)
    return Failure{.code = "try_again", .text = "the job is still completing"};
  if ((job.job_state & JOB_STATE_BASE) != JOB_PENDING) return failure_of(ESLURM_JOB_NOT_PENDING);
  if (request.nodes) wish.nodes = joined(*request.nodes);
  return request.gpus_per_node ? wish_gpus(job, *request.gpus_per_node, wish) : Outcome{};
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
    for (const std::string& line : lines_) lent_.push_back(lent(line));
  }
  void lend_to(job_desc_msg_t& job) {
    job.environment = lent_.data();
    job.env_size = static_cast<std::uint32_t>(lent_.size());
  }

 private:
  std::vector<std::string> lines_;
  std::vector<char*> lent_;
};

char* unless_empty(const std::string& text) {
  return text.empty() ? nullptr : lent(text);
}

WishText wish_of(const bridge::SubmitJob& request) {
  WishText wish;
  const bridge::GpuWish& gpus = request.gpus;
  if (gpus.per_node) wish.gpus_per_node = gpu_text(gpus.type, *gpus.per_node);
  if (gpus.total) wish.gpus_per_job = gpu_text(gpus.type, *gpus.total);
  if (request.clock) wish.clock = clock_text(*request.clock);
  if (!request.nodes.empty()) wish.nodes = joined(request.nodes);
  return wish;
}

void fill_submission(const bridge::SubmitJob& request, job_desc_msg_t& job) {
  job.script = lent(request.script);
  job.name = unless_empty(request.name);
  job.partition = unless_empty(request.partition);
  job.account = unless_empty(request.account);
  job.comment = unless_empty(request.comment);
  job.work_dir = lent(request.work_dir);
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

Outcome answer(const bridge::UpdateJob& request, bridge::JsonWriter& /*out*/) {
  WishText wish;
  if (request.clock) wish.clock = clock_text(*request.clock);
  if (changes_place(request))
    if (Outcome failure = wish_place(request, wish)) return failure;
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  wish.lend_to(change);
  fill_update(request, change);
  job_array_resp_msg_t* by_task = nullptr;
  errno = 0;
  const int failed = slurm_update_job2(&change, &by_task);
  const ArrayMessage owned(by_task);
  return first_refusal(failed, by_task);
}

Outcome answer(const bridge::Requeue& request, bridge::JsonWriter& /*out*/) {
  job_array_resp_msg_t* by_task = nullptr;
  const int failed =
      slurm_requeue2(lent(request.job), request.hold ? JOB_REQUEUE_HOLD : 0, &by_task);
  const ArrayMessage owned(by_task);
  return first_refusal(failed, by_task);
}

Outcome answer(const bridge::SignalJob& request, bridge::JsonWriter& /*out*/) {
  const auto number = static_cast<std::uint16_t>(request.number);
  if (slurm_kill_job2(request.job.c_str(), number, flags_for(request.to), nullptr) != 0)
    return failure_of(errno);
  return {};
}

Outcome answer(const bridge::CancelJob& request, bridge::JsonWriter& /*out*/) {
  if (slurm_kill_job2(request.job.c_str(), SIGKILL, 0, nullptr) != 0) return failure_of(errno);
  return {};
}

Outcome answer(const bridge::SubmitJob& request, bridge::JsonWriter& out) {
  job_desc_msg_t job;
  slurm_init_job_desc_msg(&job);
  fill_submission(request, job);
  Environment environment(request.environment);
  environment.lend_to(job);
  const WishText wish = wish_of(request);
  wish.lend_to(job);
  submit_response_msg_t* said = nullptr;
  if (slurm_submit_batch_job(&job, &said) != 0) return failure_of(errno);
  const SubmitMessage owned(said);
  out.name("job")
      .number(std::int64_t{said->job_id})
      .name("message")
      .text(said->job_submit_user_msg);
  return {};
}

}  // namespace penstock::slurm
