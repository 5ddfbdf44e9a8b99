#include "io/traces/task_graph.h"

#include <algorithm>
#include <functional>
#include <queue>

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

}  // namespace penstock
