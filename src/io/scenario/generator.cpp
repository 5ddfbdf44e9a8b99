#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/scenario/sections.h"
#include "io/text/number.h"

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
void read_fitted(TableReader& table, const Draft& draft, GeneratorSpec& spec) {
  std::filesystem::path path;
  std::string format;
  if (!read_path(table, "like", draft, path)) return;
  if (!table.require("format", "how that trace is written") || !table.text("format", format))
    return;
  const auto trace = read_trace(path, format, {.strict = false});
  if (!trace) return table.problem("like", trace.error().message);
  spec.durations = fit_durations(*trace);
}

void read_durations(TableReader& generate, const Draft& draft, GeneratorSpec& spec) {
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

void read_slack(TableReader& generate, GeneratorSpec& spec) {
  const toml::node* node = generate.get("deadline_slack");
  if (!node) return;
  const auto* range = node->as_array();
  const auto low = range && range->size() == 2 ? range->get(0)->value<double>() : std::nullopt;
  const auto high = range && range->size() == 2 ? range->get(1)->value<double>() : std::nullopt;
  if (!low || !high)
    return generate.problem("deadline_slack", "must be two numbers, such as [1.1, 3.0]");
  spec.deadline_slack = {*low, *high};
}

/// The mean gap with which jobs ask for `load` of all GPUs.
Duration gap_for(double load, const GeneratorSpec& spec, std::uint32_t gpus) {
  return round_duration(mean_work(spec) / (load * std::max(gpus, 1u)));
}

void read_gap(TableReader& generate, const Draft& draft, GeneratorSpec& spec) {
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
bool read_model(TableReader& generate, const Draft& draft, GeneratorSpec& spec) {
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

void read_generator(TableReader& root, Draft& draft) {
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
  read_slack(*table, spec);
  if (modelled) read_gap(*table, draft, spec);
  table->finish();
  if (const auto valid = check(spec); !valid && draft.problems.empty())
    table->problem("", valid.error().message);
  draft.scenario.workload.generate = std::move(spec);
}

}  // namespace penstock
