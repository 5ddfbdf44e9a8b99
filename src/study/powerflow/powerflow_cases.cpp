#include "study/powerflow/powerflow_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/scenario/table_reader.h"
#include "io/text/file.h"

namespace penstock {
namespace {

struct TraceFile {
  std::string file{};
  std::string format{};
};
using TraceFiles = std::map<std::string, TraceFile>;

TraceFiles read_traces(TableReader& root) {
  TraceFiles traces;
  for (TableReader& table : root.tables("trace")) {
    std::string name;
    TraceFile trace;
    if (table.require("name")) table.text("name", name);
    if (table.require("file")) table.text("file", trace.file);
    if (table.require("format")) table.text("format", trace.format);
    table.finish();
    if (!traces.emplace(name, trace).second) table.problem("name", "is there twice");
  }
  return traces;
}

void read_group(TableReader& group, const TraceFiles& traces,
                std::vector<PowerflowCaseSpec>& cases) {
  PowerflowCaseSpec spec;
  if (group.require("cluster")) group.text("cluster", spec.cluster);
  if (group.require("seed")) group.whole("seed", spec.seed);
  const auto names = required_list<std::string>(group, "traces", "names of traces");
  const auto loads = required_list<double>(group, "loads", "numbers");
  double ablated = 0;
  group.number("ablations_at", ablated);
  group.flag("fronts", spec.fronts);
  group.finish();
  if (std::ranges::any_of(loads, [](double load) { return load <= 0 || load > 10; }))
    group.problem("loads", "are not all above 0 and at most 10");
  for (const std::string& name : names) {
    const auto trace = traces.find(name);
    if (trace == traces.end()) {
      group.problem("traces", fmt::format("there is no [[trace]] '{}'", name));
      continue;
    }
    spec.trace = name;
    spec.file = trace->second.file;
    spec.format = trace->second.format;
    for (const double load : loads) {
      spec.load = load;
      spec.ablations = load == ablated;
      cases.push_back(spec);
    }
  }
}

}  // namespace

Result<std::vector<PowerflowCaseSpec>> read_powerflow_cases(const std::filesystem::path& path,
                                                            const std::string& group) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto table = parse_toml(*text, path.string());
  if (!table) return table.error();
  ProblemList problems(path.string());
  TableReader root(*table, "", problems);
  const TraceFiles traces = read_traces(root);
  std::vector<PowerflowCaseSpec> wanted;
  for (const char* name : {"tuning", "report", "quick"}) {
    std::vector<PowerflowCaseSpec> cases;
    for (TableReader& each : root.tables(name)) read_group(each, traces, cases);
    if (name == group) wanted = std::move(cases);
  }
  root.finish();
  if (!problems.empty()) return problems.as_error();
  return wanted;
}

}  // namespace penstock
