#include "learn/queue/chunks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace penstock {
namespace {

/// A task that is to be stopped at its request needs no more than that.
Duration needed(const Task& task) {
  return std::min(task.actual, task.requested);
}

bool is_small(const Task& task, const ChunkOptions& options) {
  const bool rigid = task.least_gpus == task.gpus && task.most_gpus == task.gpus;
  return rigid && task.requested < options.below;
}

/// What tasks of one chunk have in common.
using Kinship = std::tuple<Time, std::uint32_t, std::vector<std::uint32_t>>;

Kinship kinship(const Task& task) {
  std::vector<std::uint32_t> parents = task.parents;
  std::ranges::sort(parents);
  return {task.submitted, task.gpus, std::move(parents)};
}

bool has_room(const Task& chunk, std::size_t members, const Task& task,
              const ChunkOptions& options) {
  const bool in_time =
      options.at_most == Duration::zero() || chunk.requested + task.requested <= options.at_most;
  return in_time && members < options.most_tasks;
}

void join(Task& chunk, const Task& task) {
  chunk.requested += task.requested;
  chunk.actual += needed(task);
  chunk.cost += task.cost;
  if (task.deadline && (!chunk.deadline || *task.deadline < *chunk.deadline))
    chunk.deadline = task.deadline;
}

/// Parents by the chunks they are in, each once.
void rename_parents(Chunks& chunks, const std::vector<std::uint32_t>& chunk_of) {
  for (Task& task : chunks.tasks) {
    for (std::uint32_t& parent : task.parents) parent = chunk_of[parent];
    std::ranges::sort(task.parents);
    task.parents.erase(std::ranges::unique(task.parents).begin(), task.parents.end());
  }
}

}  // namespace

Chunks chunk_small(std::span<const Task> tasks, const ChunkOptions& options) {
  Chunks chunks;
  std::vector<std::uint32_t> chunk_of(tasks.size());
  std::map<Kinship, std::uint32_t> open;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const auto fresh = static_cast<std::uint32_t>(chunks.tasks.size());
    chunk_of[i] = fresh;
    if (is_small(tasks[i], options)) {
      std::uint32_t& last = open.try_emplace(kinship(tasks[i]), fresh).first->second;
      const bool joins = last != fresh && has_room(chunks.tasks[last], chunks.members[last].size(),
                                                   tasks[i], options);
      chunk_of[i] = last = joins ? last : fresh;
    }
    if (chunk_of[i] == fresh) {
      chunks.tasks.push_back(tasks[i]);
      chunks.tasks.back().actual = needed(tasks[i]);
      chunks.members.emplace_back();
    } else {
      join(chunks.tasks[chunk_of[i]], tasks[i]);
    }
    chunks.members[chunk_of[i]].push_back(i);
  }
  rename_parents(chunks, chunk_of);
  return chunks;
}

std::vector<Fate> member_fates(const Chunks& chunks, std::span<const Task> original,
                               const QueueWorld& world) {
  std::vector<Fate> fates(original.size());
  for (std::uint32_t i = 0; i < chunks.tasks.size(); ++i) {
    Fate fate = world.fate(i);
    const std::vector<std::uint32_t>& members = chunks.members[i];
    if (members.size() == 1) {
      fates[members.front()] = fate;
      continue;
    }
    for (const std::uint32_t member : members) {
      fate.end = fate.start + needed(original[member]);
      fate.believed_end = fate.start + original[member].requested;
      fates[member] = fate;
      fate.start = fate.end;
    }
  }
  return fates;
}

}  // namespace penstock
