#include "live/job/job_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace penstock {
namespace {

constexpr std::string_view kPoolMark = "; penstock-pool=";

}  // namespace

Result<PooledJob> pooled_job(std::int64_t number, const bridge::SubmitJob& submission,
                             Time submitted) {
  const auto gpus = submission.gpus.total;
  if (!gpus || *gpus < 1) return Error{"gpus: must be a whole number of GPUs, at least 1"};
  PooledJob job{.number = number, .submission = submission};
  job.as_slurm = {.number = number,
                  .ref = std::to_string(number),
                  .name = submission.name.empty() ? "job" : submission.name,
                  .partition = submission.partition,
                  .comment = submission.comment,
                  .state = "pending",
                  .batch = true,
                  .requeue = true,
                  .submitted = submitted,
                  .gpus = static_cast<std::uint32_t>(*gpus),
                  .gpu_type = submission.gpus.type};
  if (submission.time_limit && *submission.time_limit > 0)
    job.as_slurm.time_limit = std::chrono::minutes(*submission.time_limit);
  return job;
}

PooledJob& JobPool::add(PooledJob job) {
  last_ = std::max(last_, job.number);
  const std::int64_t number = job.number;
  return jobs_.insert_or_assign(number, std::move(job)).first->second;
}

PooledJob* JobPool::find(std::int64_t number) {
  const auto found = jobs_.find(number);
  return found == jobs_.end() ? nullptr : &found->second;
}

PooledJob* JobPool::find(JobId id) {
  const auto found = by_id_.find(id.index);
  return found == by_id_.end() ? nullptr : find(found->second);
}

void JobPool::remove(std::int64_t number) {
  PooledJob* job = find(number);
  if (job == nullptr) return;
  clear_id(*job);
  jobs_.erase(number);
}

void JobPool::set_id(PooledJob& job, JobId id) {
  job.id = id;
  by_id_[id.index] = job.number;
}

void JobPool::clear_id(PooledJob& job) {
  if (job.id) by_id_.erase(job.id->index);
  job.id.reset();
}

std::string pool_mark(std::int64_t number) {
  return fmt::format("{}{}", kPoolMark, number);
}

std::optional<std::int64_t> pool_number(std::string_view comment) {
  const std::size_t at = comment.rfind(kPoolMark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = comment.substr(at + kPoolMark.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number <= 0)
    return std::nullopt;
  return number;
}

}  // namespace penstock
