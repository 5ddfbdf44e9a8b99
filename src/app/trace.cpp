#include "io/traces/trace.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>
#include <sstream>

#include "app/commands.h"
#include "experiment/workload.h"
#include "io/text/file.h"
#include "io/traces/inspect.h"
#include "io/traces/write.h"
#include "report/files/output_file.h"

namespace penstock {
namespace {

struct TraceInput {
  std::string file;
  std::string format;
  bool lenient = false;
  std::string start;
  std::optional<std::uint64_t> limit;
};

std::string trace_format_names() {
  std::string names;
  for (const TraceFormat& format : all_trace_formats())
    names += (names.empty() ? "" : " ") + std::string(format.name);
  return names;
}

void add_trace_input(CLI::App& command, TraceInput& input) {
  command.add_option("TRACE", input.file, "Trace file; .gz is read directly")->required();
  command.add_option("--format", input.format,
                     "One of: " + trace_format_names() + " (guessed if not given)");
  command.add_flag("--lenient,!--strict", input.lenient,
                   input.lenient
                       ? "Drop and count bad rows (the default); --strict stops at the first"
                       : "Drop and count bad rows instead of stopping at the first");
  command.add_option("--start", input.start, "Where t = 0 lies on the calendar: 2022-03-01T00:00Z");
  command.add_option("--limit", input.limit, "Only the first so many jobs");
}

Result<Trace> read_input(const TraceInput& input) {
  TraceOptions options{.strict = !input.lenient, .limit = input.limit};
  if (!input.start.empty()) {
    options.start = parse_time(input.start);
    if (!options.start)
      return Error{
          fmt::format("--start: '{}' is not an instant such as 2022-03-01T00:00Z", input.start)};
  }
  if (!input.format.empty()) return read_any_trace(input.file, input.format, options);
  auto text = read_file(input.file);
  if (!text) return std::move(text).error();
  const auto guess = guess_format(*text);
  if (!guess)
    return Error{fmt::format("{}: cannot tell the format; name it with --format: {}", input.file,
                             trace_format_names())};
  remark(fmt::format("{}: taken as {}: {}", input.file, guess->format, guess->reason));
  if (guess->format == "journal") return read_any_trace(input.file, guess->format, options);
  return parse_trace(*text, input.file, guess->format, options);
}

/// To a file that appears whole or not at all, or to stdout.
Result<Done> write_text(const std::string& out, std::string_view text) {
  if (!out.empty() && out != "-") return write_file(out, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return Done{};
}

void add_inspect(CLI::App& trace, int& exit_code) {
  struct Given {
    TraceInput input;
    std::optional<std::uint32_t> gpus;
    std::optional<std::uint32_t> gpus_per_node;
    bool json = false;
  };
  auto given = std::make_shared<Given>();
  given->input.lenient = true;  // a doctor looks at everything
  CLI::App* command = trace.add_subcommand(
      "inspect", "Check a trace: span, units, sizes, durations, load, bad rows");
  add_trace_input(*command, given->input);
  const CLI::Range positive(1u, std::numeric_limits<std::uint32_t>::max());
  command->add_option("--gpus", given->gpus, "GPUs of the cluster to compare with")
      ->check(positive);
  command->add_option("--gpus-per-node", given->gpus_per_node, "GPUs of one of its nodes")
      ->check(positive);
  command->add_flag("--json", given->json, "For machines");
  command->footer("Example: penstock trace inspect data/philly-sample.csv.gz --gpus 128");
  command->callback([given, &exit_code] {
    const auto found = read_input(given->input);
    if (!found) {
      exit_code = refuse(found.error().message);
      return;
    }
    const TraceFacts facts = inspect(*found, given->gpus, given->gpus_per_node);
    fmt::print("{}", given->json ? to_json(facts) + "\n" : to_text(facts));
  });
}

void add_convert(CLI::App& trace, int& exit_code) {
  struct Given {
    TraceInput input;
    std::string to = "csv";
    std::string out;
  };
  auto given = std::make_shared<Given>();
  CLI::App* command = trace.add_subcommand("convert", "Write a trace as our CSV or as SWF");
  add_trace_input(*command, given->input);
  command->add_option("--to", given->to, "csv (loses nothing) or swf")
      ->check(CLI::IsMember({"csv", "swf"}));
  command->add_option("--out", given->out, "File to write (default: stdout)");
  command->footer("Example: penstock trace convert data/eagle.swf.gz --to csv --out eagle.csv");
  command->callback([given, &exit_code] {
    const auto found = read_input(given->input);
    if (!found) {
      exit_code = refuse(found.error().message);
      return;
    }
    std::ostringstream text;
    if (given->to == "csv")
      write_csv(text, found->jobs);
    else
      write_swf(text, found->jobs);
    if (const auto done = write_text(given->out, text.str()); !done)
      exit_code = refuse(done.error().message);
  });
}

}  // namespace

void add_trace(CLI::App& app, int& exit_code) {
  CLI::App* trace = app.add_subcommand("trace", "Inspect, convert or generate workload traces");
  trace->require_subcommand(1);
  trace->footer("Example: penstock trace inspect data/philly-sample.csv.gz --gpus 128");
  add_inspect(*trace, exit_code);
  add_convert(*trace, exit_code);
  add_trace_generate(*trace, exit_code);
}

}  // namespace penstock
