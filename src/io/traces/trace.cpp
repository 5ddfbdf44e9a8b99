#include "io/traces/trace.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/text/file.h"
#include "io/text/nearest.h"
#include "io/traces/arrange.h"
#include "io/traces/rows.h"

namespace penstock {

using ReadRows = Result<Done>(std::string_view text, TraceRows& rows);
ReadRows read_swf, read_philly, read_helios, read_pai, read_openb, read_gavel, read_pollux,
    read_elasticflow, read_chronus, read_batsim, read_wfformat, read_csv, read_sacct, read_andreas;

namespace {

constexpr std::string_view kByFormat = "the format defines it";

/// Whoever can open databases reads it instead: journal/journal_trace.h.
Result<Done> read_no_journal(std::string_view /*text*/, TraceRows& rows) {
  return Error{rows.file() + ": is not a journal; possible: the SQLite file of penstock serve"};
}

Error unknown_format(std::string_view name) {
  std::vector<std::string_view> names;
  std::string there;
  for (const auto& format : all_trace_formats()) {
    names.push_back(format.name);
    there += (there.empty() ? "" : " ") + std::string(format.name);
  }
  return {"no trace format '" + std::string(name) + "'; there are: " + there +
          did_you_mean(name, names)};
}

}  // namespace

Result<Done> check_options(const TraceOptions& options) {
  if (!std::isfinite(options.load) || options.load < 1e-3 || options.load > 1e3)
    return Error{"load: must be between 0.001 and 1000"};
  if (!(options.request_factor >= 1 && options.request_factor <= 1e6))
    return Error{"request_factor: must be between 1 and 1000000"};
  if (options.start && *options.start < Time{}) return Error{"start: lies before 1970"};
  if (options.limit && *options.limit == 0) return Error{"limit: must be at least 1"};
  if (options.from && options.until && *options.from >= *options.until)
    return Error{"until: must lie after from"};
  return Done{};
}

std::span<const TraceFormat> all_trace_formats() {
  static constexpr auto all = std::to_array<TraceFormat>({
      {"swf", "Standard Workload Format: 18 fields, processors as devices", "seconds", kByFormat,
       read_swf},
      {"philly", "Microsoft Philly: flattened CSV, or the original cluster_job_log JSON", "seconds",
       kByFormat, read_philly},
      {"helios", "SenseTime Helios: cluster_log.csv", "seconds", kByFormat, read_helios},
      {"pai", "Alibaba PAI as resampled by GAIA: arrival_time,length,cpus", "hours", kByFormat,
       read_pai},
      {"openb", "Alibaba 2023 pod list: fractions of GPUs and GPU types", "seconds", kByFormat,
       read_openb},
      {"gavel", "Gavel: 7 or 10 fields between tabs; run times from V100 throughputs", "seconds",
       kByFormat, read_gavel},
      {"pollux", "Pollux workloads; run times from measured T4 profiles", "seconds", kByFormat,
       read_pollux},
      {"elasticflow", "ElasticFlow: jobs with deadlines", "seconds", kByFormat, read_elasticflow},
      {"chronus", "Chronus: jobs with deadlines", "minutes", kByFormat, read_chronus},
      {"batsim", "Batsim JSON: delay and parallel_homogeneous profiles", "seconds", kByFormat,
       read_batsim},
      {"wfformat", "WfCommons WfFormat 1.5: a workflow whose tasks wait for their parents",
       "seconds", kByFormat, read_wfformat},
      {"andreas", "ANDREAS: applications with execution times, from which a scenario draws jobs",
       "seconds", kByFormat, read_andreas, true},
      {"csv", "our own table, as `penstock trace convert` writes it", "seconds",
       "the columns say so", read_csv},
      {"sacct", "output of `sacct -P` with a head, `sacct --json` or `squeue --json`", "seconds",
       kByFormat, read_sacct},
      {"journal", "what `penstock serve` has written down: jobs as they really ran", "milliseconds",
       kByFormat, read_no_journal},
  });
  return all;
}

const TraceFormat* find_trace_format(std::string_view name) {
  const auto all = all_trace_formats();
  const auto found = std::ranges::find(all, name, &TraceFormat::name);
  return found == all.end() ? nullptr : &*found;
}

Result<Trace> parse_trace(std::string_view text, std::string file, std::string_view format,
                          const TraceOptions& options) {
  const TraceFormat* known = find_trace_format(format);
  if (known == nullptr) return unknown_format(format);
  if (auto checked = check_options(options); !checked) return std::move(checked).error();
  TraceRows rows(std::move(file), options.strict);
  rows.report().format = known->name;
  rows.unit(known->time_unit, known->time_unit_reason);
  if (auto done = known->read(text, rows); !done) return std::move(done).error();
  if (auto outcome = rows.outcome(); !outcome) return std::move(outcome).error();
  return arrange(std::move(rows), options);
}

Result<Trace> read_trace(const std::filesystem::path& path, std::string_view format,
                         const TraceOptions& options) {
  auto text = read_file(path);
  if (!text) return std::move(text).error();
  return parse_trace(*text, path.string(), format, options);
}

namespace {

/// A text that only one format has near its beginning.
struct FormatSign {
  std::string_view text;
  std::string_view format;
};

constexpr auto kHeaderSigns = std::to_array<FormatSign>({
    {"timestamp,duration,num_gpus", "philly"},
    {"arrival_time,length,cpus", "pai"},
    {"name,cpu_milli,memory_mib,num_gpu,gpu_milli", "openb"},
    {"name,time,application,num_replicas", "pollux"},
    {"submit_time,real_iteration", "elasticflow"},
    {"expect_time_list", "chronus"},
    {"gpu_num,cpu_num,node_num", "helios"},
    {"GpuType,GpuNumber", "andreas"},
    {"actual_s", "csv"},
    {"JobID|", "sacct"},
});

constexpr auto kJsonSigns = std::to_array<FormatSign>({
    {"\"schemaVersion\"", "wfformat"},
    {"\"submitted_time\"", "philly"},
    {"\"nb_res\"", "batsim"},
    {"\"subtime\"", "batsim"},
    {"\"job_state\"", "sacct"},
    {"\"allocation_nodes\"", "sacct"},
});

template <class Signs>
std::optional<FormatGuess> first_sign(std::string_view text, const Signs& signs) {
  for (const FormatSign& sign : signs)
    if (text.find(sign.text) != std::string_view::npos)
      return FormatGuess{sign.format, "it has '" + std::string(sign.text) + "' near its beginning"};
  return std::nullopt;
}

bool is_swf_row(std::string_view line) {
  const auto numeric = [](char c) {
    return (c >= '0' && c <= '9') || c == ' ' || c == '\t' || c == '-' || c == '.' || c == '\r';
  };
  return !line.empty() && std::ranges::all_of(line, numeric);
}

}  // namespace

std::optional<FormatGuess> guess_format(std::string_view text) {
  const std::size_t content = text.find_first_not_of(" \t\r\n");
  if (content == std::string_view::npos) return std::nullopt;
  text.remove_prefix(content);
  if (text.front() == '{' || text.front() == '[')
    return first_sign(text.substr(0, 65536), kJsonSigns);
  if (text.starts_with("SQLite format 3"))
    return FormatGuess{"journal", "it is an SQLite database"};
  if (text.front() == ';') return FormatGuess{"swf", "it begins with a ';' comment"};
  const std::string_view line = text.substr(0, text.find('\n'));
  if (const auto found = first_sign(line, kHeaderSigns)) return found;
  if (std::ranges::count(line, '\t') >= 6)
    return FormatGuess{"gavel", "its rows have 7 or 10 tab-separated fields"};
  if (is_swf_row(line)) return FormatGuess{"swf", "its first line holds numbers only"};
  return std::nullopt;
}

}  // namespace penstock
