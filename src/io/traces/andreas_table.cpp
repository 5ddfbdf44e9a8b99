// The tables of execution times of ANDREAS's authors: one row for each job, GPU type and number of
// GPUs. Jobs,Application,Epochs,Batchsize,GpuType,GpuNumber,ExecutionTime and, in one layout,
// TimePerEpoch, in the other Memory; all times in seconds, memory in GiB. Other columns are passed
// over.
#include "io/traces/andreas_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "io/text/csv.h"
#include "io/traces/row.h"

namespace penstock {
namespace {

constexpr double kMostEpochs = 1e9;
constexpr double kMostNodeGpus = 4096;
constexpr double kAgree = 0.1;  // how far two times of the same may be apart

/// One row as it stands.
struct Line {
  std::uint64_t line = 0;
  std::string job{};
  std::string application{};
  std::string batch{};
  std::string gpu{};
  std::uint32_t gpus = 1;
  double epochs = 1;
  double epoch_seconds = 1;
  double memory_gib = 0;
};

struct Columns {
  std::size_t job = 0, application = 0, epochs = 0, batch = 0, gpu = 0, gpus = 0, time = 0;
  std::optional<std::size_t> epoch_time{};
  std::optional<std::size_t> memory{};
};

Result<Columns> find_columns(const CsvTable& table) {
  const auto columns = table.columns(
      {"Jobs", "Application", "Epochs", "Batchsize", "GpuType", "GpuNumber", "ExecutionTime"});
  if (!columns) return columns.error();
  const auto [job, application, epochs, batch, gpu, gpus, time] = *columns;
  return Columns{job,
                 application,
                 epochs,
                 batch,
                 gpu,
                 gpus,
                 time,
                 table.find("TimePerEpoch"),
                 table.find("Memory")};
}

std::string text_of(Row& row, std::string_view field, std::string_view text) {
  if (text.empty()) row.fail(field, "missing", "is missing");
  return std::string(text);
}

double positive(Row& row, std::string_view field, std::string_view text, double most) {
  const double value = row.number(field, text);
  if (!(value > 0)) row.fail(field, "not positive", fmt::format("{} is not positive", value));
  if (value > most)
    row.fail(field, "not believable", fmt::format("{} is more than {}", value, most));
  return value;
}

/// Seconds of an epoch; what the table says twice must agree.
double epoch_seconds(Row& row, const CsvTable& table, const Columns& at, double epochs) {
  const double whole = seconds(row.duration("ExecutionTime", table.cell(at.time), kSecond));
  const double exact = row.number("ExecutionTime", table.cell(at.time)) / epochs;
  if (!at.epoch_time) return exact;
  const std::string_view text = table.cell(*at.epoch_time);
  const double epoch = row.number("TimePerEpoch", text);
  row.duration("TimePerEpoch", text, kSecond);
  if (std::abs(whole - epoch * epochs) > kAgree * whole)
    row.fail("ExecutionTime", "contradicts",
             fmt::format("{} is not TimePerEpoch x Epochs, which is {:.6g}", table.cell(at.time),
                         epoch * epochs));
  return epoch;
}

Line line_of(Row& row, const CsvTable& table, const Columns& at) {
  Line line{.line = table.line()};
  line.job = text_of(row, "Jobs", table.cell(at.job));
  line.application = text_of(row, "Application", table.cell(at.application));
  line.batch = text_of(row, "Batchsize", table.cell(at.batch));
  line.gpu = text_of(row, "GpuType", table.cell(at.gpu));
  line.gpus = row.gpus("GpuNumber", table.cell(at.gpus));
  if (line.gpus > kMostNodeGpus)
    row.fail("GpuNumber", "not believable", fmt::format("{} is more than a node has", line.gpus));
  line.epochs = positive(row, "Epochs", table.cell(at.epochs), kMostEpochs);
  line.epoch_seconds = epoch_seconds(row, table, at, line.epochs);
  if (at.memory) line.memory_gib = positive(row, "Memory", table.cell(*at.memory), 1e6);
  return line;
}

Error at_line(const std::string& file, std::uint64_t line, std::string_view field,
              const std::string& what) {
  return {fmt::format("{}:{}: {}: {}", file, line, field, what)};
}

Result<std::vector<Line>> read_lines(std::string_view text, const std::string& file) {
  auto table = CsvTable::open(text, file);
  if (!table) return std::move(table).error();
  const auto at = find_columns(*table);
  if (!at) return at.error();
  std::vector<Line> lines;
  while (table->next()) {
    TracedJob unused;
    Row row(unused, table->line());
    if (!table->is_whole())
      row.fail(
          "row", "wrong number of cells",
          fmt::format("has {} cells, the head has {}", table->cells(), table->columns().size()));
    lines.push_back(line_of(row, *table, *at));
    if (const auto& fault = row.fault())
      return at_line(file, table->line(), fault->field, fault->what);
  }
  if (lines.empty()) return Error{file + ": has no rows"};
  return lines;
}

/// Puts the rows together.
class Builder {
 public:
  Builder(const std::vector<Line>& lines, const std::string& file) {
    table_.file = file;
    for (const Line& line : lines) batches_[line.application].insert(line.batch);
  }

  Result<Done> add(const Line& line) {
    const std::size_t kind = kind_of(line);
    const auto [job, is_new] = jobs_.try_emplace(line.job, table_.jobs.size());
    if (is_new) table_.jobs.push_back({line.job, kind, line.epochs});
    const AndreasJob& known = table_.jobs[job->second];
    if (known.kind != kind || known.epochs != line.epochs)
      return wrong(line, "Jobs",
                   fmt::format("'{}' was another application, batch or number of "
                               "epochs before",
                               line.job));
    if (!seen_.insert({line.job, line.gpu, line.gpus}).second)
      return wrong(line, "GpuNumber",
                   fmt::format("'{}' on {} {} was there before", line.job, line.gpus, line.gpu));
    seconds_[kind][{line.gpu, line.gpus}].push_back(line.epoch_seconds);
    return Done{};
  }
  AndreasTable take() {
    for (const auto& [place, times] : seconds_) {
      AndreasKind& kind = table_.kinds[place];
      for (const auto& [way, seconds] : times) {
        AndreasTime& time = kind.times.emplace_back(AndreasTime{way.first, way.second, 0});
        time.seconds = settled(kind.name, time, seconds);
      }
    }
    return std::move(table_);
  }

 private:
  Error wrong(const Line& line, std::string_view field, const std::string& what) const {
    return at_line(table_.file, line.line, field, what);
  }

  std::size_t kind_of(const Line& line) {
    const bool several = batches_.at(line.application).size() > 1;
    const std::string name = line.application + (several ? "-" + line.batch : "");
    const auto [kind, is_new] = kinds_.try_emplace(name, table_.kinds.size());
    if (is_new) table_.kinds.push_back({.name = name});
    AndreasKind& known = table_.kinds[kind->second];
    known.memory_gib = std::max(known.memory_gib, line.memory_gib);
    return kind->second;
  }

  /// The middle one of several times; the lower of two.
  double settled(const std::string& kind, const AndreasTime& time, std::vector<double> seconds) {
    std::ranges::sort(seconds);
    const double middle = seconds[(seconds.size() - 1) / 2];
    if (seconds.back() > (1 + kAgree) * seconds.front())
      table_.notes.push_back(
          fmt::format("{} on {} {}: an epoch takes {:.6g} to {:.6g} s; taken as {:.6g} s", kind,
                      time.gpus, time.gpu, seconds.front(), seconds.back(), middle));
    return middle;
  }

  AndreasTable table_;
  std::map<std::string, std::set<std::string>> batches_;  ///< by application
  std::map<std::string, std::size_t> kinds_;
  std::map<std::string, std::size_t> jobs_;
  std::set<std::tuple<std::string, std::string, std::uint32_t>> seen_;
  /// By kind, then by GPU type and number: what the rows say.
  std::map<std::size_t, std::map<std::pair<std::string, std::uint32_t>, std::vector<double>>>
      seconds_;
};

}  // namespace

Result<AndreasTable> parse_andreas(std::string_view text, const std::string& file) {
  const auto lines = read_lines(text, file);
  if (!lines) return lines.error();
  Builder builder(*lines, file);
  for (const Line& line : *lines)
    if (auto added = builder.add(line); !added) return std::move(added).error();
  return builder.take();
}

}  // namespace penstock
