// currentScheduling: which jobs run at present, and where.
#include <fmt/format.h>

#include <algorithm>

#include "io/plan/draft.h"
#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr auto kRunningKeys = std::to_array<std::string_view>({"node", "GPUtype", "nGPUs"});

std::optional<std::uint32_t> read_node(ObjectReader& reader, const PlanDraft& draft) {
  const auto name = reader.text("node");
  if (!name) return std::nullopt;
  const auto place = draft.node_places.find(*name);
  if (place != draft.node_places.end()) return place->second;
  if (draft.sound_nodes)
    reader.problem("node", fmt::format("there is no node {}; there are: {}", in_quotes(*name),
                                       listed(draft.node_names)));
  return std::nullopt;
}

void check_type(ObjectReader& reader, const JointNode& node, const PlanDraft& draft) {
  if (!reader.has("GPUtype")) return;
  const auto type = reader.text("GPUtype");
  if (type && *type != draft.type_names[node.type])
    reader.problem("GPUtype", fmt::format("{} is not what node {} has: {}", in_quotes(*type),
                                          in_quotes(node.name), draft.type_names[node.type]));
}

/// In slices.
std::optional<std::uint32_t> read_size(ObjectReader& reader, std::uint32_t total,
                                       std::uint32_t slices) {
  const auto value = reader.value("nGPUs");
  if (!value) return std::nullopt;
  const bool part = slices > 1 && value->kind() == JsonKind::number &&
                    (value->number() == 0.25 || value->number() == 0.5);
  if (part) return static_cast<std::uint32_t>(value->number() * slices);
  const auto gpus = reader.whole("nGPUs", {.least = 1, .most = 10'000});
  if (!gpus) return std::nullopt;
  if (*gpus <= total) return static_cast<std::uint32_t>(*gpus) * slices;
  reader.problem("nGPUs", fmt::format("{} are more than the {} of its node", *gpus, total));
  return std::nullopt;
}

std::string options_text(const JointJob& job, std::uint32_t type, std::uint32_t slices) {
  std::string text;
  for (const JointOption& option : job.options)
    if (option.type == type) text += fmt::format(" {}", option.slices / double(slices));
  return text.empty() ? " none" : text;
}

void set_running(ObjectReader& reader, JointJob& job, PlanDraft& draft) {
  const auto node = read_node(reader, draft);
  if (!node) return;
  JointProblem& problem = draft.request.problem;
  const std::uint32_t type = problem.nodes[*node].type;
  check_type(reader, problem.nodes[*node], draft);
  const auto size = read_size(reader, draft.counts[*node].total, problem.slices);
  if (!size) return;
  draft.counts[*node].running += *size;
  const auto option = std::ranges::find_if(job.options, [&](const JointOption& known) {
    return known.type == type && known.slices == *size;
  });
  if (option != job.options.end()) {
    job.running = Assignment{.node = *node,
                             .option = static_cast<std::uint32_t>(option - job.options.begin())};
  } else if (!job.options.empty()) {
    reader.problem("nGPUs",
                   fmt::format("{} have no time in the job's ProfilingData.{}; there are:{}",
                               *size / double(problem.slices), draft.type_names[type],
                               options_text(job, type, problem.slices)));
  }
}

/// Answers of the published service call the node of a job that waits "nan".
bool waits(const JsonValue& entry) {
  const auto node = entry.find("node");
  return node && (node->kind() == JsonKind::null ||
                  (node->kind() == JsonKind::text && node->text() == "nan"));
}

}  // namespace

void read_running(ObjectReader& root, PlanDraft& draft) {
  if (!root.has("currentScheduling")) return;
  auto running = root.object("currentScheduling");
  if (!running) return;
  std::vector<JointJob>& jobs = draft.request.problem.jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    draft.job_places.emplace(jobs[i].name, static_cast<std::uint32_t>(i));
  for (auto entry = running->first(); entry; entry = entry->next()) {
    auto reader = running->inner(*entry, kRunningKeys);
    const auto job = draft.job_places.find(entry->key());
    if (!reader || job == draft.job_places.end() || waits(*entry)) continue;  // or it has ended
    set_running(*reader, jobs[job->second], draft);
  }
}

}  // namespace penstock
