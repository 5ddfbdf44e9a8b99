// WfCommons WfFormat 1.5: workflow.specification.tasks [{id, name, parents}] and
// workflow.execution.tasks [{id, runtimeInSeconds, coreCount}]. All tasks are
// submitted at t = 0 and become ready when their parents have ended.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "io/text/number.h"
#include "io/traces/json.h"
#include "io/traces/rows.h"
#include "io/traces/workflows.h"

namespace penstock {

Result<Done> read_wfformat(std::string_view text, TraceRows& rows);

namespace {

using nlohmann::json;

/// The parts of the document, by task.
struct WorkflowDocument {
  const json* tasks = nullptr;
  std::map<std::string, const json*> executed{};
  std::vector<GraphTask> graph{};
};

/// Tasks by name; of tasks with the same name the first.
std::map<std::string_view, std::size_t> by_name(const std::vector<GraphTask>& tasks) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < tasks.size(); ++i) places.emplace(tasks[i].name, i);
  return places;
}

std::string task_name(const json& task) {
  const auto& id = member(task, "id").is_null() ? member(task, "name") : member(task, "id");
  if (id.is_string()) return id.get<std::string>();
  return id.is_number_integer() ? id.dump() : std::string();
}

Result<Done> connect(WorkflowDocument& workflow, const std::string& file) {
  for (const auto& task : *workflow.tasks) workflow.graph.push_back({.name = task_name(task)});
  const auto places = by_name(workflow.graph);
  for (std::size_t i = 0; i < workflow.graph.size(); ++i) {
    const auto where =
        fmt::format("{}:tasks[{}]: {}: parents: ", file, i, in_quotes(workflow.graph[i].name));
    const auto& parents = member((*workflow.tasks)[i], "parents");
    if (parents.is_null()) continue;
    if (!parents.is_array()) return Error{where + "is not a list"};
    for (const auto& parent : parents) {
      const auto name = parent.is_string()
                            ? parent.get<std::string>()
                            : parent.dump(-1, ' ', false, json::error_handler_t::replace);
      const auto at = places.find(name);
      if (at == places.end()) return Error{where + "there is no task " + in_quotes(name)};
      workflow.graph[i].parents.push_back(at->second);
    }
    auto& all = workflow.graph[i].parents;
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
  }
  return Done{};
}

/// Some workflows keep a whole script where others name a program.
bool is_word(std::string_view text) {
  return text.size() < 80 && std::ranges::none_of(text, is_control);
}

void fill_task(Row& row, const std::string& name, const WorkflowDocument& workflow) {
  row.job.job.name = name;
  const auto executed = workflow.executed.find(name);
  if (executed == workflow.executed.end()) {
    row.fail("runtimeInSeconds", "missing", "is missing: the task is not under execution");
    return;
  }
  const json& run = *executed->second;
  row.job.actual =
      row.duration("runtimeInSeconds", number_in(row, run, "runtimeInSeconds"), kSecond);
  if (!member(run, "coreCount").is_null())
    row.job.job.gpus = row.gpus("coreCount", number_in(row, run, "coreCount"));
  const auto& program = member(member(run, "command"), "program");
  if (program.is_string() && is_word(program.get<std::string>()))
    row.job.job.kind = program.get<std::string>();
}

Result<WorkflowDocument> find_parts(const json& document, const std::string& file) {
  WorkflowDocument workflow;
  const auto& parts = member(document, "workflow");
  workflow.tasks = &member(member(parts, "specification"), "tasks");
  if (!workflow.tasks->is_array())
    return Error{file + ": workflow.specification.tasks: is not a list"};
  const auto& runs = member(member(parts, "execution"), "tasks");
  if (!runs.is_array()) return Error{file + ": workflow.execution.tasks: is not a list"};
  for (const auto& run : runs) workflow.executed.emplace(task_name(run), &run);
  return workflow;
}

}  // namespace

Result<Done> read_wfformat(std::string_view text, TraceRows& rows) {
  const auto document = parse_json(text, rows.file());
  if (!document) return document.error();
  auto workflow = find_parts(*document, rows.file());
  if (!workflow) return workflow.error();
  if (auto connected = connect(*workflow, rows.file()); !connected) return connected;
  const auto order = parents_first(workflow->graph);
  if (!order) return Error{rows.file() + ": tasks: " + order.error().message};

  std::vector<std::uint32_t> row_of(workflow->graph.size());
  for (std::uint32_t i = 0; i < order->size(); ++i) row_of[(*order)[i]] = i;
  for (const auto task : *order) {
    Row row(rows.open(), task, "tasks");
    const auto& entry = workflow->graph[task];
    for (const auto parent : entry.parents) row.job.job.parents.push_back(JobId{row_of[parent]});
    rows.unique(row, "id", entry.name);
    if (std::ranges::any_of(entry.name, is_control))
      row.fail("id", "control characters", "holds control characters");
    fill_task(row, entry.name, *workflow);
    if (!rows.close_or_gap(row)) break;
  }
  return Done{};
}

}  // namespace penstock
