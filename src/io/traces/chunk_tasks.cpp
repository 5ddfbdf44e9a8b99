#include "io/traces/chunk_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace penstock {
namespace {

/// What tasks of one chunk have in common.
using Kinship = std::pair<std::uint32_t, std::vector<JobId>>;

bool has_room(const TracedJob& chunk, const TracedJob& task, const ChunkSpec& spec) {
  return spec.at_most == Duration::zero() || chunk.actual + task.actual <= spec.at_most;
}

void join(TracedJob& chunk, const TracedJob& task) {
  const double before = seconds(chunk.actual);
  const double more = seconds(task.actual);
  if (before + more > 0) chunk.load = (chunk.load * before + task.load * more) / (before + more);
  chunk.actual += task.actual;
  chunk.job.requested += task.job.requested;
}

void rename_parents(Job& job, const std::vector<std::uint32_t>& chunk_of) {
  for (JobId& parent : job.parents) parent = JobId{chunk_of[parent.index]};
  std::ranges::sort(job.parents);
  job.parents.erase(std::ranges::unique(job.parents).begin(), job.parents.end());
}

}  // namespace

std::vector<TracedJob> chunk_tasks(const std::vector<TracedJob>& tasks, const ChunkSpec& spec) {
  std::vector<TracedJob> chunks;
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint32_t> chunk_of;
  std::map<Kinship, std::uint32_t> open;  // the last chunk of its kind
  for (TracedJob task : tasks) {
    rename_parents(task.job, chunk_of);
    auto place = static_cast<std::uint32_t>(chunks.size());
    if (task.actual < spec.below) {
      const auto [last, is_first] = open.try_emplace({task.job.gpus, task.job.parents}, place);
      if (!is_first && has_room(chunks[last->second], task, spec)) place = last->second;
      last->second = place;
    }
    chunk_of.push_back(place);
    if (place < chunks.size()) {
      join(chunks[place], task);
      ++sizes[place];
      continue;
    }
    task.job.id = JobId{place};
    chunks.push_back(std::move(task));
    sizes.push_back(1);
  }
  for (std::size_t i = 0; i < chunks.size(); ++i)
    if (sizes[i] > 1) chunks[i].job.name += fmt::format("+{}", sizes[i] - 1);
  return chunks;
}

}  // namespace penstock
