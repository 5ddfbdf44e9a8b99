#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "slurm/answers.h"
#include "slurm/api.h"
#include "slurm/job_wish.h"

namespace penstock::slurm {
namespace {

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

void fill(const bridge::SubmitJob& request, job_desc_msg_t& job) {
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

Outcome answer(const bridge::SubmitJob& request, bridge::JsonWriter& out) {
  job_desc_msg_t job;
  slurm_init_job_desc_msg(&job);
  fill(request, job);
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
