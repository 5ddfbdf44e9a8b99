#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/scenario/sections.h"
#include "io/text/file.h"
#include "io/text/number.h"
#include "io/traces/workflows.h"

namespace penstock {
namespace {

constexpr std::string_view kMix = "mix";
constexpr std::string_view kLublin = "lublin";

double mean_seconds(const GeneratorSpec& spec) {
  if (const auto* normal = std::get_if<LogNormalDurations>(&spec.durations))
    return seconds(normal->median) * std::exp(normal->sigma * normal->sigma / 2);
  const auto& bins = std::get<FittedDurations>(spec.durations).bins;
  double sum = 0;
  for (const Duration bin : bins) sum += seconds(bin);
  return bins.empty() ? 0 : sum / static_cast<double>(bins.size());
}

double mean_gpus(const GeneratorSpec& spec) {
  double gpus = 0;
  double weights = 0;
  for (const SizeWeight& size : spec.sizes) {
    gpus += size.gpus * size.weight;
    weights += size.weight;
  }
  return weights > 0 ? gpus / weights : 0;
}

/// GPU seconds of a job.
double mean_work(const GeneratorSpec& spec) {
  if (spec.lublin_machine) return LublinModel(*spec.lublin_machine).mean_work();
  return mean_seconds(spec) * mean_gpus(spec);
}

/// Run times like those of a trace.
void read_fitted(TableReader& table, const ScenarioDraft& draft, GeneratorSpec& spec) {
  std::filesystem::path path;
  std::string format;
  if (!read_path(table, "like", draft, path)) return;
  if (!table.require("format", "how that trace is written") || !table.text("format", format))
    return;
  const auto trace = read_trace(path, format, {.strict = false});
  if (!trace) return table.problem("like", trace.error().message);
  spec.durations = fit_durations(*trace);
}

void read_durations(TableReader& generate, const ScenarioDraft& draft, GeneratorSpec& spec) {
  auto table = generate.table("durations", R"({ median = "20 min", sigma = 1.5 })");
  if (!table) return;
  if (table->has("like")) {
    read_fitted(*table, draft, spec);
  } else {
    LogNormalDurations normal;
    table->duration("median", normal.median);
    table->number("sigma", normal.sigma, {.least = 0, .most = 10});
    spec.durations = normal;
  }
  table->finish();
}

/// { "1" = 0.8, "8" = 0.2 }
void read_sizes(TableReader& generate, GeneratorSpec& spec) {
  auto table = generate.table("sizes", R"({ "1" = 0.8, "8" = 0.2 })");
  if (!table) return;
  spec.sizes.clear();
  for (const auto& [key, node] : table->raw()) {
    const auto gpus = parse_number<std::uint32_t>(key.str());
    SizeWeight size{.gpus = gpus ? *gpus : 0};
    if (size.gpus == 0) table->problem(key.str(), "must be named by a number of GPUs");
    table->number(key.str(), size.weight, {.least = 0});
    spec.sizes.push_back(size);
  }
  std::ranges::sort(spec.sizes, {}, &SizeWeight::gpus);
}

void read_slack_range(TableReader& generate, GeneratorSpec& spec) {
  const toml::node* node = generate.get("deadline_slack");
  if (!node) return;
  const auto* range = node->as_array();
  const auto low = range && range->size() == 2 ? range->get(0)->value<double>() : std::nullopt;
  const auto high = range && range->size() == 2 ? range->get(1)->value<double>() : std::nullopt;
  if (!low || !high)
    return generate.problem("deadline_slack", "must be two numbers, such as [1.1, 3.0]");
  spec.deadline_slack = {*low, *high};
}

void read_deadlines(TableReader& generate, GeneratorSpec& spec) {
  read_slack_range(generate, spec);
  if (generate.number("tardiness_per_s", spec.tardiness_per_s, {.least = 0}) &&
      !generate.has("deadline_slack"))
    generate.problem("tardiness_per_s",
                     "stands without deadline_slack; late is who has a deadline");
}

/// The mean gap with which jobs ask for `load` of all GPUs.
Duration gap_for(double load, const GeneratorSpec& spec, std::uint32_t gpus) {
  return round_duration(mean_work(spec) / (load * std::max(gpus, 1u)));
}

void read_gap(TableReader& generate, const ScenarioDraft& draft, GeneratorSpec& spec) {
  double load = 0;
  generate.duration("mean_gap", spec.mean_gap);
  if (generate.number("load", load, {.least = 0.001, .most = 1000})) {
    if (generate.has("mean_gap"))
      generate.problem("load", "stands beside mean_gap; either of them says how dense jobs come");
    spec.mean_gap = gap_for(load, spec, draft.scenario.cluster.gpu_count());
  }
  spec.mean_gap = round_duration(seconds(spec.mean_gap) / draft.scenario.workload.options.load);
}

void refuse_trace_keys(TableReader& workload) {
  for (const std::string_view key : {"from", "until", "gpus_max", "min_duration", "rows"})
    if (workload.has(key)) workload.problem(key, "belongs to a trace, not to generated jobs");
}

/// Which model draws the jobs: false if it is that of Lublin and Feitelson and there is no machine
/// to draw them for.
bool read_model(TableReader& generate, const ScenarioDraft& draft, GeneratorSpec& spec) {
  bool lublin = false;
  generate.choice("model", lublin, {{kMix, false}, {kLublin, true}});
  if (!lublin) {
    if (generate.has("machine")) generate.problem("machine", "belongs to model = \"lublin\"");
    return true;
  }
  for (const std::string_view key : {"arrivals", "swing", "durations", "sizes"})
    if (generate.has(key))
      generate.problem(key, "stands beside model = \"lublin\", which has its own");
  const Range believable{.least = LublinModel::kLeastMachine, .most = LublinModel::kMostMachine};
  std::uint32_t machine = draft.scenario.cluster.gpu_count() / draft.scenario.cluster.share;
  const bool given = generate.has("machine");
  if (given && !generate.whole("machine", machine, believable)) return false;
  if (machine < believable.least || machine > believable.most) {
    if (!draft.scenario.cluster.nodes.empty())
      generate.problem("machine",
                       fmt::format("must be given: the model is for {} to {} processors, "
                                   "and the scenario has {}",
                                   believable.least, believable.most, machine));
    return false;
  }
  spec.lublin_machine = machine;
  spec.mean_gap = round_duration(LublinModel::mean_gap());
  return true;
}

void read_arrivals(TableReader& generate, GeneratorSpec& spec) {
  std::string arrivals;
  if (!generate.text("arrivals", arrivals)) return;
  const auto known = parse_arrivals(arrivals);
  if (known) spec.arrivals = *known;
  if (!known) generate.problem("arrivals", known.error().message);
}

}  // namespace

void read_generator(TableReader& root, ScenarioDraft& draft) {
  const toml::node* node = root.get("workload");
  if (!node || !node->is_table()) return;
  TableReader workload(*node->as_table(), "workload", draft.problems);
  auto table = workload.table("generate", "{ jobs = 1000 }");
  if (!table) return;
  refuse_trace_keys(workload);
  const TraceOptions& options = draft.scenario.workload.options;
  GeneratorSpec spec{.skip = options.skip,
                     .seed = draft.scenario.seed,
                     .start = options.start.value_or(Time{}),
                     .request_factor = options.request_factor};
  table->whole("jobs", spec.jobs, {.least = 1, .most = 4294967295.0});
  spec.jobs = std::min(spec.jobs, options.limit.value_or(spec.jobs));
  const bool modelled = read_model(*table, draft, spec);
  read_arrivals(*table, spec);
  table->number("swing", spec.swing, {.least = 0, .most = 1});
  table->number("request_factor", spec.request_factor, {.least = 1, .most = 1e6});
  read_durations(*table, draft, spec);
  read_sizes(*table, spec);
  read_deadlines(*table, spec);
  if (modelled) read_gap(*table, draft, spec);
  table->finish();
  if (const auto valid = check(spec); !valid && draft.problems.empty())
    table->problem("", valid.error().message);
  draft.scenario.workload.generate = std::move(spec);
}

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
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return table.problem("files", path.string() + ": no such file or folder");
  if (!std::filesystem::is_directory(path, error)) {
    files.push_back(path);
    return;
  }
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (is_workflow(at->path())) found.push_back(at->path());
  if (error) return table.problem("files", path.string() + ": " + error.message());
  if (found.empty())
    return table.problem("files", path.string() + ": the folder has no .json or .json.gz file");
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

/// A path, or a list of them; folders stand for what is in them.
std::vector<std::filesystem::path> named_files(TableReader& table, const ScenarioDraft& draft) {
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

void read_instances(TableReader& table, const ScenarioDraft& draft, WorkflowStreamSpec& spec) {
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

void read_gap(TableReader& table, const ScenarioDraft& draft, WorkflowStreamSpec& spec) {
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

void read_workflows(TableReader& root, ScenarioDraft& draft) {
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

namespace {

constexpr double kMostJobs = 1e8;
constexpr std::string_view kDistributions = "distributions.csv";

/// Two numbers from `least` to 10⁹, the smaller first; nothing, and a problem if it is there, if it
/// is not that.
std::optional<std::pair<double, double>> read_range(TableReader& table, std::string_view key,
                                                    double least, const char* wanted) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  const auto* range = node->as_array();
  const bool two = range != nullptr && range->size() == 2;
  const auto low = two ? range->get(0)->value<double>() : std::nullopt;
  const auto high = two ? range->get(1)->value<double>() : std::nullopt;
  if (low && high && *low >= least && *low <= *high && *high <= 1e9) return std::pair(*low, *high);
  table.problem(key, wanted);
  return std::nullopt;
}

void read_by_load(TableReader& table, AndreasSpec& spec) {
  table.number("size_sigma", spec.size_sigma, {.least = 0, .most = 10});
  spec.deadline_slack =
      read_range(table, "deadline_slack", 0.001,
                 "must be two numbers above 0, the smaller first, such as [1.1, 3.0]");
  if (table.number("load", spec.load, {.least = 0.001, .most = 1e6}) &&
      spec.arrivals != AndreasArrivals::by_load)
    table.problem("load", "belongs to arrivals = \"by-load\"");
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
                {"poisson", poisson},
                {"by-load", by_load}});
  table.choice("rates", spec.rates,
               {{"server", AndreasRates::server}, {"cloud", AndreasRates::cloud}});
  table.whole("jobs_per_node", spec.jobs_per_node, {.least = 1, .most = kMostJobs});
  if (static_cast<double>(spec.jobs_per_node * cluster.nodes.size()) > kMostJobs)
    table.problem("jobs_per_node", fmt::format("makes more than {:.0f} jobs", kMostJobs));
  read_mean(table, spec);
  spec.weights = read_range(table, "weights", 0,
                            "must be two amounts of money per second, the smaller first, such as "
                            "[0.0003, 0.0004]")
                     .value_or(usual_weights(spec.rates));
  read_by_load(table, spec);
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
void read_epoch_families(TableReader& workload, const ScenarioDraft& draft, AndreasSpec& spec) {
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

bool any_kind_fits(const AndreasTable& table, const Cluster& cluster) {
  return std::ranges::any_of(
      table.kinds, [&](const AndreasKind& kind) { return fit_to_cluster(kind, cluster).runs(); });
}

void read_andreas_table(TableReader& workload, ScenarioDraft& draft, AndreasSpec& spec) {
  WorkloadSpec& ours = draft.scenario.workload;
  const auto text = read_file(*ours.trace);
  if (!text) return workload.problem("trace", text.error().message);
  auto table = parse_andreas(*text, ours.trace->string());
  if (!table) return workload.problem("trace", table.error().message);
  const Cluster& cluster = draft.scenario.cluster;
  if (!cluster.nodes.empty() && !any_kind_fits(*table, cluster))
    return workload.problem(
        "trace", fmt::format("nothing in it runs on the machines of this scenario: it has times "
                             "for {}",
                             types_text(*table)));
  ours.profiles = andreas_profiles(*table, cluster);
  spec.table = *std::move(table);
}

}  // namespace

void read_drawn_jobs(TableReader& root, ScenarioDraft& draft) {
  const toml::node* node = root.get("workload");
  if (!node || !node->is_table()) return;
  TableReader workload(*node->as_table(), "workload", draft.problems);
  WorkloadSpec& ours = draft.scenario.workload;
  if (!ours.draws_jobs()) {
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
  std::error_code error;
  if (!ours.trace || !std::filesystem::is_regular_file(*ours.trace, error)) return;
  read_andreas_table(workload, draft, spec);
  read_epoch_families(workload, draft, spec);
  ours.andreas = std::move(spec);
}

}  // namespace penstock
