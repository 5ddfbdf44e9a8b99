#include "io/traces/workflow_stream.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/rng.h"
#include "io/traces/arrange.h"
#include "io/traces/rows.h"

namespace penstock {
namespace {

/// "montage-005d" of "montage-005d.json.gz".
std::string instance_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".json") name = name.stem();
  return name.string();
}

void submit(const WorkflowInstance& instance, std::uint64_t number, Time when, TraceRows& rows) {
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
  const bool picky = options.from || options.until || options.gpus_max;
  return options.limit && !picky && tasks >= options.skip + *options.limit;
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
    submit(instance, n, Time(round_duration(now)), rows);
    now += gaps.exponential(seconds(spec.mean_gap));
  }
  for (const WorkflowInstance& instance : spec.instances)
    for (const std::string& remark : instance.remarks) rows.note(remark);
  return arrange(std::move(rows), options);
}

}  // namespace penstock
