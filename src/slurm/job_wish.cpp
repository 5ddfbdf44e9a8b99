#include "slurm/job_wish.h"

#include <fmt/format.h>

#include "slurm/api.h"

namespace penstock::slurm {
namespace {

void lend(const std::optional<std::string>& text, char*& place) {
  if (text) place = lent(*text);
}

}  // namespace

void WishText::lend_to(job_desc_msg_t& job) const {
  lend(gpus_per_node, job.tres_per_node);
  lend(gpus_per_job, job.tres_per_job);
  lend(gpus_per_task, job.tres_per_task);
  lend(clock, job.tres_freq);
  lend(nodes, job.req_nodes);
}

std::string gpu_text(const std::string& type, std::int64_t count) {
  return type.empty() ? fmt::format("gres:gpu:{}", count)
                      : fmt::format("gres:gpu:{}:{}", type, count);
}

std::string clock_text(std::int64_t megahertz) {
  return megahertz == 0 ? "" : fmt::format("gpu:{}", megahertz);
}

}  // namespace penstock::slurm
