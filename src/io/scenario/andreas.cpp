#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/scenario/sections.h"
#include "io/text/file.h"

namespace penstock {
namespace {

constexpr double kMostJobs = 1e8;
constexpr std::string_view kDistributions = "distributions.csv";

/// [0.0003, 0.0004], money per second.
void read_weights(TableReader& table, AndreasSpec& spec) {
  spec.weights = usual_weights(spec.rates);
  const toml::node* node = table.get("weights");
  if (node == nullptr) return;
  const auto* range = node->as_array();
  const bool two = range != nullptr && range->size() == 2;
  const auto low = two ? range->get(0)->value<double>() : std::nullopt;
  const auto high = two ? range->get(1)->value<double>() : std::nullopt;
  if (!low || !high || !(*low >= 0 && *low <= *high && *high <= 1e9))
    return table.problem("weights",
                         "must be two amounts of money per second, the smaller first, such as "
                         "[0.0003, 0.0004]");
  spec.weights = {*low, *high};
}

void read_mean(TableReader& table, AndreasSpec& spec) {
  if (!table.duration("mean", spec.mean)) return;
  using enum AndreasArrivals;
  if (spec.arrivals != exponential && spec.arrivals != poisson)
    table.problem("mean", "belongs to exponential and poisson arrivals");
  if (spec.mean <= Duration::zero() || spec.mean > std::chrono::days(3660))
    table.problem("mean", "must be longer than nothing and at most ten years");
}

void read_spec(TableReader& table, const Cluster& cluster, AndreasSpec& spec) {
  using enum AndreasArrivals;
  table.choice("arrivals", spec.arrivals,
               {{"high", high},
                {"low", low},
                {"mixed", mixed},
                {"exponential", exponential},
                {"poisson", poisson}});
  table.choice("rates", spec.rates,
               {{"server", AndreasRates::server}, {"cloud", AndreasRates::cloud}});
  table.whole("jobs_per_node", spec.jobs_per_node, {.least = 1, .most = kMostJobs});
  if (static_cast<double>(spec.jobs_per_node * cluster.nodes.size()) > kMostJobs)
    table.problem("jobs_per_node", fmt::format("makes more than {:.0f} jobs", kMostJobs));
  read_mean(table, spec);
  read_weights(table, spec);
  table.has("epochs");  // read when the applications are known
  table.has("distributions");
  table.finish();
}

/// Which family each kind of the table is of.
void read_families(TableReader& table, const std::filesystem::path& path, AndreasSpec& spec) {
  const auto text = read_file(path);
  if (!text) return table.problem("distributions", text.error().message);
  auto families = parse_epochs(*text, path.string());
  if (!families) return table.problem("distributions", families.error().message);
  for (const AndreasKind& kind : spec.table.kinds) {
    const auto family = family_of(kind.name, *families);
    if (!family) return table.problem("distributions", family.error().message);
    spec.family.push_back(*family);
  }
  spec.families = *std::move(families);
}

/// Beside the table of times unless told otherwise.
void read_epochs(TableReader& workload, const Draft& draft, AndreasSpec& spec) {
  const toml::node* node = workload.get("andreas");
  if (node == nullptr || !node->is_table()) return;
  TableReader table(*node->as_table(), "workload.andreas", workload.problems());
  bool drawn = false;
  table.choice("epochs", drawn, {{"fixed", false}, {"distribution", true}});
  std::filesystem::path path = draft.scenario.workload.trace->parent_path() / kDistributions;
  if (read_path(table, "distributions", draft, path) && !drawn)
    return table.problem("distributions", "belongs to epochs = \"distribution\"");
  if (drawn) read_families(table, path, spec);
}

std::string types_text(const AndreasTable& table) {
  std::set<std::string> types;
  for (const AndreasKind& kind : table.kinds)
    for (const AndreasTime& time : kind.times) types.insert(time.gpu);
  return fmt::format("{}", fmt::join(types, ", "));
}

bool any_runs(const AndreasTable& table, const Cluster& cluster) {
  return std::ranges::any_of(
      table.kinds, [&](const AndreasKind& kind) { return fit_to_cluster(kind, cluster).runs(); });
}

void read_table(TableReader& workload, Draft& draft, AndreasSpec& spec) {
  WorkloadSpec& ours = draft.scenario.workload;
  const auto text = read_file(*ours.trace);
  if (!text) return workload.problem("trace", text.error().message);
  auto table = parse_andreas(*text, ours.trace->string());
  if (!table) return workload.problem("trace", table.error().message);
  const Cluster& cluster = draft.scenario.cluster;
  if (!cluster.nodes.empty() && !any_runs(*table, cluster))
    return workload.problem(
        "trace", fmt::format("nothing in it runs on the machines of this scenario: it has times "
                             "for {}",
                             types_text(*table)));
  ours.profiles = andreas_profiles(*table, cluster);
  spec.table = *std::move(table);
}

}  // namespace

void read_drawn_jobs(TableReader& root, Draft& draft) {
  const toml::node* node = root.get("workload");
  if (!node || !node->is_table()) return;
  TableReader workload(*node->as_table(), "workload", draft.problems);
  WorkloadSpec& ours = draft.scenario.workload;
  if (ours.format != "andreas") {
    if (workload.has("andreas"))
      workload.problem("andreas", "belongs to workload.format = \"andreas\"");
    return;
  }
  if (workload.has("profiles"))
    workload.problem("profiles", "stands beside a trace of format andreas, which has its own");
  AndreasSpec spec;
  spec.weights = usual_weights(spec.rates);
  if (auto table = workload.table("andreas", "{ arrivals = \"high\" }"))
    read_spec(*table, draft.scenario.cluster, spec);
  std::error_code trouble;
  if (!ours.trace || !std::filesystem::is_regular_file(*ours.trace, trouble)) return;
  read_table(workload, draft, spec);
  read_epochs(workload, draft, spec);
  ours.andreas = std::move(spec);
}

}  // namespace penstock
