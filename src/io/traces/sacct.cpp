// Slurm's accounting as `sacct -P` prints it: cells between '|', times in the
// cluster's local zone without saying so. Rows of job steps ("12.batch") are left
// out. Devices are the GPUs in AllocTRES or ReqTRES; a table without either
// counts nodes. JSON is read in sacct_json.cpp.
#include <fmt/format.h>

#include "io/text/csv.h"
#include "io/text/number.h"
#include "io/traces/rows.h"
#include "io/traces/tres.h"

namespace penstock {

Result<Done> read_sacct(std::string_view text, TraceRows& rows);
Result<Done> read_sacct_json(std::string_view text, TraceRows& rows);

namespace {

/// "[days-]hours:minutes:seconds" or "minutes:seconds", in seconds.
std::optional<double> clock_time(std::string_view text) {
  double days = 0;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    const auto value = parse_number<std::uint32_t>(text.substr(0, dash));
    if (!value) return std::nullopt;
    days = *value;
    text.remove_prefix(dash + 1);
  }
  double total = 0;
  for (bool more = true; more;) {
    const auto colon = text.find(':');
    more = colon != std::string_view::npos;
    const auto part = parse_number<double>(text.substr(0, colon));
    if (!part || *part < 0) return std::nullopt;
    total = total * 60 + *part;
    text.remove_prefix(more ? colon + 1 : text.size());
  }
  return days * 86400 + total;
}

struct Columns {
  std::size_t id = 0, submit = 0, elapsed = 0;
  std::optional<std::size_t> limit{}, allocated{}, asked{}, nodes{}, user{}, account{}, name{};
};

Result<Columns> find_columns(const CsvTable& table) {
  const auto columns = table.columns({"JobID", "Submit", "Elapsed"});
  if (!columns) return columns.error();
  const auto [id, submit, elapsed] = *columns;
  const auto nodes = table.find("NNodes") ? table.find("NNodes") : table.find("AllocNodes");
  Columns at{id,
             submit,
             elapsed,
             table.find("Timelimit"),
             table.find("AllocTRES"),
             table.find("ReqTRES"),
             nodes,
             table.find("User"),
             table.find("Account"),
             table.find("JobName")};
  if (!at.allocated && !at.asked && !at.nodes)
    return Error{table.file() + ": no column AllocTRES, ReqTRES or NNodes tells the size of jobs"};
  return at;
}

std::string_view optional_cell(const CsvTable& table, std::optional<std::size_t> at) {
  return at ? table.cell(*at) : std::string_view{};
}

void fill_size(Row& row, const CsvTable& table, const Columns& at) {
  if (!at.allocated && !at.asked) {
    row.job.job.gpus = row.gpus("NNodes", table.cell(*at.nodes));
    return;
  }
  NamedGpus gpus = gpus_in_tres(optional_cell(table, at.allocated));
  if (gpus.count == 0) gpus = gpus_in_tres(optional_cell(table, at.asked));
  if (gpus.count == 0) return row.leave_out("AllocTRES: a job without GPUs");
  row.job.job.gpus = row.gpus("AllocTRES", gpus.count);
  row.job.gpu_spec = std::move(gpus.types);
}

void fill(Row& row, const CsvTable& table, const Columns& at) {
  auto& traced = row.job;
  traced.job.name = table.cell(at.id);
  traced.job.user = optional_cell(table, at.user);
  traced.job.group = optional_cell(table, at.account);
  traced.job.kind = optional_cell(table, at.name);
  traced.job.submitted = row.date("Submit", table.cell(at.submit));
  fill_size(row, table, at);
  const auto elapsed = clock_time(table.cell(at.elapsed));
  if (!elapsed)
    row.fail("Elapsed", "not a time",
             in_quotes(table.cell(at.elapsed)) + " is not like 1-02:03:04");
  if (elapsed == 0.0) return row.leave_out("Elapsed: 0, the job never ran");
  traced.actual = row.duration("Elapsed", elapsed.value_or(1), kSecond);
  if (const auto limit = clock_time(optional_cell(table, at.limit)); limit && *limit > 0)
    traced.job.requested = row.duration("Timelimit", *limit, kSecond);
}

}  // namespace

Result<Done> read_sacct(std::string_view text, TraceRows& rows) {
  rows.dated();
  const auto content = text.find_first_not_of(" \t\r\n");
  if (content != std::string_view::npos && text[content] == '{') return read_sacct_json(text, rows);
  rows.note("sacct states no time zone; times are taken as UTC");
  auto table = CsvTable::open(text, rows.file(), '|');
  if (!table) return std::move(table).error();
  const auto at = find_columns(*table);
  if (!at) return at.error();
  while (table->next()) {
    Row row(rows.open(), table->line());
    const auto id = table->cell(at->id);
    if (id.find('.') != std::string_view::npos) {
      row.leave_out("JobID: a step of a job");
    } else {
      TraceRows::whole(row, *table);
      rows.unique(row, "JobID", id);
      fill(row, *table, *at);
    }
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
