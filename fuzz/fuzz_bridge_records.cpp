// Whatever a bridge says of jobs and nodes, it is read without harm.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "live/job/ended_entry.h"
#include "live/job/slurm_records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto record = nlohmann::json::parse(bytes, bytes + size, nullptr, false);
  if (const auto job = penstock::read_slurm_job(record)) {
    if (job->ref.empty() || job->number <= 0 || job->node_count == 0) std::abort();
    if (penstock::read_tasks(job->array_tasks, 1000).size() > 1000) std::abort();
  }
  if (const auto node = penstock::read_slurm_node(record))
    if (node->problem().empty() && !node->can_work()) std::abort();
  (void)penstock::read_run(record);
  return 0;
}
