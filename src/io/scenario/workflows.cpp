#include <fmt/format.h>

#include <algorithm>

#include "io/scenario/sections.h"
#include "io/traces/chunk_tasks.h"

namespace penstock {
namespace {

constexpr double kMostTasks = 1e8;
constexpr double kMostWorkflows = 1e7;

bool is_workflow(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

/// The workflows of a folder by name, or the one file.
void find_files(TableReader& table, const std::filesystem::path& path,
                std::vector<std::filesystem::path>& files) {
  std::error_code trouble;
  if (!std::filesystem::exists(path, trouble))
    return table.problem("files", path.string() + ": no such file or folder");
  if (!std::filesystem::is_directory(path, trouble)) {
    files.push_back(path);
    return;
  }
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator at(path, trouble), end; !trouble && at != end;
       at.increment(trouble))
    if (is_workflow(at->path())) found.push_back(at->path());
  if (trouble) return table.problem("files", path.string() + ": " + trouble.message());
  if (found.empty())
    return table.problem("files", path.string() + ": the folder has no .json or .json.gz file");
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

/// A path, or a list of them; folders stand for what is in them.
std::vector<std::filesystem::path> named_files(TableReader& table, const Draft& draft) {
  std::vector<std::filesystem::path> files;
  if (!table.require("files", "a folder, a file or a list of them")) return files;
  const toml::node* node = table.get("files");
  const auto* list = node->as_array();
  if (list != nullptr && list->empty()) table.problem("files", "is empty");
  if (list == nullptr) {
    std::filesystem::path path;
    if (read_path(table, "files", draft, path)) find_files(table, path, files);
    return files;
  }
  for (const toml::node& each : *list) {
    const auto name = each.value<std::string>();
    if (!name) {
      table.problem("files", "must be a path or a list of paths");
      return files;
    }
    find_files(table, draft.dir / *name, files);
  }
  return files;
}

ChunkSpec read_chunks(TableReader& table) {
  ChunkSpec chunks;
  if (table.duration("chunk_below", chunks.below) && chunks.below <= Duration::zero())
    table.problem("chunk_below", "must be longer than nothing");
  if (!table.duration("chunk_at_most", chunks.at_most)) return chunks;
  if (chunks.at_most <= Duration::zero())
    table.problem("chunk_at_most", "must be longer than nothing");
  if (!table.has("chunk_below"))
    table.problem("chunk_at_most", "is of use with chunk_below only, which says what is small");
  return chunks;
}

void read_instances(TableReader& table, const Draft& draft, WorkflowStreamSpec& spec) {
  const ChunkSpec chunks = read_chunks(table);
  for (const auto& path : named_files(table, draft)) {
    auto instance = read_workflow(path, draft.scenario.workload.options.strict);
    if (!instance) {
      table.problem("files", instance.error().message);
      continue;
    }
    if (chunks.below > Duration::zero()) instance->tasks = chunk_tasks(instance->tasks, chunks);
    spec.instances.push_back(*std::move(instance));
  }
  double tasks = 0;
  for (const WorkflowInstance& instance : spec.instances)
    tasks = std::max(tasks, static_cast<double>(instance.tasks.size()));
  if (tasks * static_cast<double>(spec.count) > kMostTasks)
    table.problem("count", fmt::format("may make more than {:.0f} tasks", kMostTasks));
}

void read_gap(TableReader& table, const Draft& draft, WorkflowStreamSpec& spec) {
  if (table.duration("mean_gap", spec.mean_gap) && spec.mean_gap <= Duration::zero())
    table.problem("mean_gap", "must be longer than nothing");
  double load = 0;
  if (!table.number("load", load, {.least = 0.001, .most = 1000})) return;
  if (table.has("mean_gap"))
    table.problem("load", "stands beside mean_gap; either of them says how dense workflows come");
  const Cluster& cluster = draft.scenario.cluster;
  const double gpus = std::max(cluster.gpu_count() / cluster.share, 1u);
  if (!spec.instances.empty())
    spec.mean_gap = std::max(Duration(1), round_duration(mean_work(spec) / (load * gpus)));
}

}  // namespace

void read_workflows(TableReader& root, Draft& draft) {
  const toml::node* node = root.get("workload");
  if (!node || !node->is_table()) return;
  TableReader workload(*node->as_table(), "workload", draft.problems);
  auto table = workload.table("workflows", R"({ files = "workflows", count = 100 })");
  if (!table) return;
  WorkflowStreamSpec spec;
  table->whole("count", spec.count, {.least = 1, .most = kMostWorkflows});
  read_instances(*table, draft, spec);
  read_gap(*table, draft, spec);
  table->finish();
  draft.scenario.workload.workflows = std::move(spec);
}

}  // namespace penstock
