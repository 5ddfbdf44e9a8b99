#include "live/site/shown_jobs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/json/json_at.h"

namespace penstock {
namespace {

constexpr std::size_t kMostTasks = 20'000;  // of one array

}  // namespace

void ShownJobs::take(const nlohmann::json& body) {
  if (!flag_at(body, "news")) all_.clear();
  for (auto& [number, shown] : all_) shown.fresh = false;
  for (const nlohmann::json& number : list_at(body, "gone"))
    if (number.is_number_integer()) all_.erase(number.get<std::int64_t>());
  for (const nlohmann::json& record : list_at(body, "jobs"))
    if (auto job = read_slurm_job(record)) {
      const std::int64_t number = job->number;
      all_.insert_or_assign(number, Shown{*std::move(job)});
    }
  unfinished_.clear();
  for (const auto& [number, shown] : all_)
    if (shown.job.phase != SlurmJob::Phase::ended)
      unfinished_.insert({number, shown.job.array_job > 0 ? shown.job.array_job : number});
}

std::vector<std::string> refs_of(const SlurmJob& record) {
  if (record.array_tasks.empty() || record.phase != SlurmJob::Phase::pending) return {record.ref};
  std::vector<std::string> refs;
  for (const std::uint32_t task : read_tasks(record.array_tasks, kMostTasks))
    refs.push_back(fmt::format("{}_{}", record.array_job, task));
  return refs;
}

}  // namespace penstock
