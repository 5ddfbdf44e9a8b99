#include "io/traces/workflows.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "io/traces/arrange.h"
#include "io/traces/rows.h"

namespace penstock {
namespace {

/// Follows parents that are not `done` until a task comes again.
Error describe_cycle(const std::vector<GraphTask>& tasks, const std::vector<bool>& done) {
  const auto is_open = [&](std::size_t i) { return !done[i]; };
  auto at = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
  std::vector<std::size_t> path;
  std::vector<bool> seen(tasks.size(), false);
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    at = *std::ranges::find_if(tasks[at].parents, is_open);
  }
  std::string text = "'" + tasks[at].name + "' waits for itself:";
  for (auto step = std::ranges::find(path, at); step != path.end(); ++step)
    text += " " + tasks[*step].name + " after";
  return {text + " " + tasks[at].name};
}

}  // namespace

Result<std::vector<std::size_t>> parents_first(const std::vector<GraphTask>& tasks) {
  std::vector<std::vector<std::size_t>> children(tasks.size());
  std::vector<std::size_t> waits_for(tasks.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    waits_for[i] = tasks[i].parents.size();
    for (const auto parent : tasks[i].parents) children[parent].push_back(i);
    if (waits_for[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  std::vector<bool> done(tasks.size(), false);
  while (!ready.empty()) {
    const auto task = ready.top();
    ready.pop();
    done[task] = true;
    order.push_back(task);
    for (const auto child : children[task])
      if (--waits_for[child] == 0) ready.push(child);
  }
  if (order.size() < tasks.size()) return describe_cycle(tasks, done);
  return order;
}

namespace {

/// What tasks of one chunk have in common.
using ChunkKey = std::pair<std::uint32_t, std::vector<JobId>>;

bool has_room(const TracedJob& chunk, const TracedJob& task, const ChunkSpec& spec) {
  return spec.at_most == Duration::zero() || chunk.actual + task.actual <= spec.at_most;
}

void append_task(TracedJob& chunk, const TracedJob& task) {
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
  std::map<ChunkKey, std::uint32_t> open;  // the last chunk of its kind
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
      append_task(chunks[place], task);
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

namespace {

/// "montage-005d" of "montage-005d.json.gz".
std::string instance_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".json") name = name.stem();
  return name.string();
}

void submit_workflow(const WorkflowInstance& instance, std::uint64_t number, Time when,
                     TraceRows& rows) {
  const auto first = static_cast<std::uint32_t>(rows.jobs().size());
  const std::string group = fmt::format("{}-{}", instance.name, number);
  for (const TracedJob& task : instance.tasks) {
    Row row(rows.open(), number, "workflows");
    row.job = task;
    Job& job = row.job.job;
    job.submitted = when;
    job.name = group + "/" + task.job.name;
    job.group = group;
    for (JobId& parent : job.parents) parent = JobId{first + parent.index};
    rows.close_or_gap(row);
  }
}

/// No task behind the limit is wanted, unless something else leaves tasks out before it.
bool is_enough(std::size_t tasks, const TraceOptions& options) {
  const bool has_filter = options.from || options.until || options.gpus_max;
  return options.limit && !has_filter && tasks >= options.skip + *options.limit;
}

}  // namespace

Result<WorkflowInstance> read_workflow(const std::filesystem::path& path, bool strict) {
  auto trace = read_trace(path, "wfformat", {.strict = strict});
  if (!trace) return std::move(trace).error();
  WorkflowInstance instance{.name = instance_name(path), .tasks = std::move(trace->jobs)};
  for (TracedJob& task : instance.tasks) task.job.requested = {};  // made up by the stream
  for (const DroppedRows& dropped : trace->report.bad)
    instance.remarks.push_back(fmt::format("{}: {} {} left out: {}", instance.name, dropped.count,
                                           dropped.count == 1 ? "task" : "tasks", dropped.reason));
  return instance;
}

double mean_work(const WorkflowStreamSpec& spec) {
  double work = 0;
  for (const WorkflowInstance& instance : spec.instances)
    for (const TracedJob& task : instance.tasks) work += task.job.gpus * seconds(task.actual);
  return work / static_cast<double>(spec.instances.size());
}

Result<Trace> draw_workflows(const WorkflowStreamSpec& spec, const TraceOptions& options) {
  PENSTOCK_CHECK(!spec.instances.empty());
  TraceRows rows("workflows", true);
  rows.report().format = "wfformat";
  rows.unit("seconds", "the format defines it");
  Rng picks = Rng(options.seed).stream("workflows");
  Rng gaps = Rng(options.seed).stream("arrivals");
  double now = 0;
  for (std::uint64_t n = 1; n <= spec.count && !is_enough(rows.jobs().size(), options); ++n) {
    const auto& instance = spec.instances[picks.below(spec.instances.size())];
    submit_workflow(instance, n, Time(round_duration(now)), rows);
    now += gaps.exponential(seconds(spec.mean_gap));
  }
  for (const WorkflowInstance& instance : spec.instances)
    for (const std::string& remark : instance.remarks) rows.note(remark);
  return arrange(std::move(rows), options);
}

}  // namespace penstock
