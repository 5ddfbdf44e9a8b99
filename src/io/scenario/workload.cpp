#include <fmt/format.h>

#include <algorithm>

#include "io/scenario/sections.h"
#include "io/text/nearest.h"

namespace penstock {
namespace {

void read_format(TableReader& table, std::string& format) {
  std::vector<std::string_view> names;
  for (const TraceFormat& known : all_trace_formats()) names.push_back(known.name);
  if (table.has("generate")) names = {"generated"};
  const std::string possible = fmt::format("there are: {}", fmt::join(names, " "));
  if (table.has("trace") && !table.has("generate") && !table.require("format", possible)) return;
  if (!table.text("format", format)) return;
  if (std::ranges::find(names, format) == names.end())
    table.problem("format", fmt::format("there is no format '{}'; {}{}", format, possible,
                                        did_you_mean(format, names)));
}

void read_trace_file(TableReader& table, Draft& draft) {
  std::filesystem::path path;
  if (!read_path(table, "trace", draft, path)) return;
  std::error_code trouble;
  if (!std::filesystem::exists(path, trouble))
    table.problem("trace", path.string() + ": no such file");
  else if (std::filesystem::is_directory(path, trouble))
    table.problem("trace", path.string() + ": is a directory, not a file");
  draft.scenario.workload.trace = std::move(path);
}

void read_options(TableReader& table, TraceOptions& options) {
  std::uint64_t limit = 0;
  std::uint32_t gpus_max = 0;
  if (table.whole("limit", limit, {.least = 1})) options.limit = limit;
  if (table.whole("gpus_max", gpus_max, {.least = 1})) options.gpus_max = gpus_max;
  table.time("start", options.start);
  table.time("from", options.from);
  table.time("until", options.until);
  if (options.from && options.until && *options.from >= *options.until)
    table.problem("until", "is not after workload.from");
  table.number("load", options.load, {.least = 0.001, .most = 1000});
  table.number("request_factor", options.request_factor, {.least = 1, .most = 1e6});
  table.choice("rows", options.strict, {{"strict", true}, {"lenient", false}});
}

}  // namespace

void read_workload(TableReader& root, Draft& draft) {
  if (!root.require("workload", "write [workload] with trace and format, or with generate")) return;
  auto table = root.table("workload");
  if (!table) return;
  WorkloadSpec& workload = draft.scenario.workload;
  workload.options.seed = draft.scenario.seed;
  const bool generated = table->has("generate");
  if (generated && table->has("trace"))
    table->problem("generate", "stands beside workload.trace; jobs come from one of them");
  if (!generated) table->require("trace", "or write [workload.generate]");
  read_trace_file(*table, draft);
  read_format(*table, workload.format);
  read_options(*table, workload.options);
  table->choice("over_request", workload.over_request,
                {{"kill", OverRequest::kill}, {"extend", OverRequest::extend}});
  if (table->get("profiles") != nullptr)
    table->problem("profiles",
                   "models of how jobs scale are not supported yet; jobs run rigid, at "
                   "the size and for the time of the trace");
  table->choice("oversized", workload.drop_oversized, {{"error", false}, {"drop", true}});
  table->finish();
}

}  // namespace penstock
