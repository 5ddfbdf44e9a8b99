#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/traces/trace.h"
#include "model/trace.h"

namespace penstock {

/// A task and the tasks it waits for, by index.
struct GraphTask {
  std::string name{};
  std::vector<std::size_t> parents{};
};

/// An order in which every task comes after its parents, otherwise as given. If
/// tasks wait for each other in a circle, the error names them.
Result<std::vector<std::size_t>> parents_first(const std::vector<GraphTask>& tasks);

/// Which tasks of a workflow are put together.
struct ChunkSpec {
  Duration below{};    ///< only tasks that run for less than this; 0 puts none together
  Duration at_most{};  ///< that a chunk may run; 0 for no bound
};

/// Small tasks that wait for the same others, or for nobody, and take as many GPUs are put together
/// into one that runs them one after another, called after its first with "+N". Whoever waits for
/// one of them waits for all. Parents are places in the list, before their children, and stay so.
std::vector<TracedJob> chunk_tasks(const std::vector<TracedJob>& tasks, const ChunkSpec& spec);

/// A workflow that may be submitted any number of times.
struct WorkflowInstance {
  std::string name{};                  ///< its file's, without .json
  std::vector<TracedJob> tasks{};      ///< parents are places in this list, before their children
  std::vector<std::string> remarks{};  ///< what its reader dropped
};

/// Which workflows come, and how densely.
struct WorkflowStreamSpec {
  std::vector<WorkflowInstance> instances{};  ///< at least one
  std::uint64_t count = 100;                  ///< of workflows, not of tasks
  Duration mean_gap = std::chrono::minutes(10);
};

/// Reads one workflow in WfFormat; strict or lenient as the options say.
Result<WorkflowInstance> read_workflow(const std::filesystem::path& path, bool strict);

/// GPU seconds of a workflow, the mean over the instances.
double mean_work(const WorkflowStreamSpec& spec);

/// Workflows with exponential gaps, the first at t = 0, each a draw among the instances by
/// `options.seed`. All tasks of a workflow are submitted when it arrives and keep their parents.
/// The n-th workflow (from 1) is the group "INSTANCE-n" of its tasks, which are called
/// "INSTANCE-n/TASK".
Result<Trace> draw_workflows(const WorkflowStreamSpec& spec, const TraceOptions& options);

}  // namespace penstock
