// The tables of execution times of ANDREAS's authors: one row for each job, GPU type and number of
// GPUs. Jobs,Application,Epochs,Batchsize,GpuType,GpuNumber,ExecutionTime and, in one layout,
// TimePerEpoch, in the other Memory; all times in seconds, memory in GiB. Other columns are passed
// over.
#include "io/traces/andreas_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/text.h"
#include "io/text/csv.h"
#include "io/text/nearest.h"
#include "io/text/number.h"
#include "io/traces/rows.h"

namespace penstock {
namespace {

constexpr double kMostEpochs = 1e9;
constexpr double kMostTableGpus = 4096;
constexpr double kMostApart = 0.1;  // how far two times of the same may be apart

/// One row as it stands.
struct AndreasRow {
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

struct AndreasColumns {
  std::size_t job = 0, application = 0, epochs = 0, batch = 0, gpu = 0, gpus = 0, time = 0;
  std::optional<std::size_t> epoch_time{};
  std::optional<std::size_t> memory{};
};

Result<AndreasColumns> find_andreas_columns(const CsvTable& table) {
  const auto columns = table.columns(
      {"Jobs", "Application", "Epochs", "Batchsize", "GpuType", "GpuNumber", "ExecutionTime"});
  if (!columns) return columns.error();
  const auto [job, application, epochs, batch, gpu, gpus, time] = *columns;
  return AndreasColumns{job,
                        application,
                        epochs,
                        batch,
                        gpu,
                        gpus,
                        time,
                        table.find("TimePerEpoch"),
                        table.find("Memory")};
}

std::string required_text(Row& row, std::string_view field, std::string_view text) {
  if (text.empty()) row.fail(field, "missing", "is missing");
  return std::string(text);
}

double positive_number(Row& row, std::string_view field, std::string_view text, double most) {
  const double value = row.number(field, text);
  if (!(value > 0)) row.fail(field, "not positive", fmt::format("{} is not positive", value));
  if (value > most)
    row.fail(field, "not believable", fmt::format("{} is more than {}", value, most));
  return value;
}

/// Seconds of an epoch; what the table says twice must agree.
double epoch_seconds(Row& row, const CsvTable& table, const AndreasColumns& at, double epochs) {
  const double whole = seconds(row.duration("ExecutionTime", table.cell(at.time), kSecond));
  const double exact = row.number("ExecutionTime", table.cell(at.time)) / epochs;
  if (!at.epoch_time) return exact;
  const std::string_view text = table.cell(*at.epoch_time);
  const double epoch = row.number("TimePerEpoch", text);
  row.duration("TimePerEpoch", text, kSecond);
  if (std::abs(whole - epoch * epochs) > kMostApart * whole)
    row.fail("ExecutionTime", "contradicts",
             fmt::format("{} is not TimePerEpoch x Epochs, which is {:.6g}", table.cell(at.time),
                         epoch * epochs));
  return epoch;
}

AndreasRow andreas_row(Row& row, const CsvTable& table, const AndreasColumns& at) {
  AndreasRow line{.line = table.line()};
  line.job = required_text(row, "Jobs", table.cell(at.job));
  line.application = required_text(row, "Application", table.cell(at.application));
  line.batch = required_text(row, "Batchsize", table.cell(at.batch));
  line.gpu = required_text(row, "GpuType", table.cell(at.gpu));
  line.gpus = row.gpus("GpuNumber", table.cell(at.gpus));
  if (line.gpus > kMostTableGpus)
    row.fail("GpuNumber", "not believable", fmt::format("{} is more than a node has", line.gpus));
  line.epochs = positive_number(row, "Epochs", table.cell(at.epochs), kMostEpochs);
  line.epoch_seconds = epoch_seconds(row, table, at, line.epochs);
  if (at.memory) line.memory_gib = positive_number(row, "Memory", table.cell(*at.memory), 1e6);
  return line;
}

Error at_line(const std::string& file, std::uint64_t line, std::string_view field,
              const std::string& what) {
  return {fmt::format("{}:{}: {}: {}", file, line, field, what)};
}

Result<std::vector<AndreasRow>> read_andreas_rows(std::string_view text, const std::string& file) {
  auto table = CsvTable::open(text, file);
  if (!table) return std::move(table).error();
  const auto at = find_andreas_columns(*table);
  if (!at) return at.error();
  std::vector<AndreasRow> lines;
  while (table->next()) {
    TracedJob unused;
    Row row(unused, table->line());
    if (!table->is_whole())
      row.fail(
          "row", "wrong number of cells",
          fmt::format("has {} cells, the head has {}", table->cells(), table->columns().size()));
    lines.push_back(andreas_row(row, *table, *at));
    if (const auto& fault = row.fault())
      return at_line(file, table->line(), fault->field, fault->what);
  }
  if (lines.empty()) return Error{file + ": has no rows"};
  return lines;
}

/// Puts the rows together.
class AndreasTableBuilder {
 public:
  AndreasTableBuilder(const std::vector<AndreasRow>& lines, const std::string& file) {
    table_.file = file;
    for (const AndreasRow& line : lines) batches_[line.application].insert(line.batch);
  }

  Result<Done> add(const AndreasRow& line) {
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
  Error wrong(const AndreasRow& line, std::string_view field, const std::string& what) const {
    return at_line(table_.file, line.line, field, what);
  }

  std::size_t kind_of(const AndreasRow& line) {
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
    if (seconds.back() > (1 + kMostApart) * seconds.front())
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
  const auto lines = read_andreas_rows(text, file);
  if (!lines) return lines.error();
  AndreasTableBuilder builder(*lines, file);
  for (const AndreasRow& line : *lines)
    if (auto added = builder.add(line); !added) return std::move(added).error();
  return builder.take();
}

// How the kinds of an ANDREAS table lie on the machines of a cluster.
namespace {

const GpuType* find_cluster_type(const Cluster& cluster, std::string_view name) {
  const auto found = std::ranges::find_if(
      cluster.types, [&](const GpuType& type) { return equal_ignoring_case(type.name, name); });
  return found == cluster.types.end() ? nullptr : &*found;
}

/// GPUs of the largest node of each type.
std::vector<std::uint32_t> largest_nodes(const Cluster& cluster) {
  std::vector<std::uint32_t> gpus(cluster.types.size(), 0);
  for (const Node& node : cluster.nodes)
    gpus[node.type.index] = std::max(gpus[node.type.index], node.gpus / cluster.share);
  return gpus;
}

/// The ways of a kind that the cluster has machines for: by type, then by GPUs.
using PossibleWays = std::map<GpuTypeId, std::map<std::uint32_t, double>>;

PossibleWays possible_ways(const AndreasKind& kind, const Cluster& cluster) {
  const auto largest = largest_nodes(cluster);
  PossibleWays ways;
  for (const AndreasTime& time : kind.times) {
    const GpuType* type = find_cluster_type(cluster, time.gpu);
    if (type == nullptr) continue;
    const GpuTypeId id{static_cast<std::uint32_t>(type - cluster.types.data())};
    if (time.gpus <= largest[id.index]) ways[id][time.gpus] = time.seconds;
  }
  return ways;
}

}  // namespace

std::vector<Profile> andreas_profiles(const AndreasTable& table, const Cluster& cluster) {
  std::vector<Profile> profiles;
  for (const AndreasKind& kind : table.kinds) {
    std::map<std::string, std::vector<std::pair<std::uint32_t, double>>> by_type;
    for (const AndreasTime& time : kind.times)
      by_type[time.gpu].emplace_back(time.gpus, time.seconds);
    for (const auto& [gpu, times] : by_type) {
      const GpuType* type = find_cluster_type(cluster, gpu);
      Profile profile = table_profile(kind.name, type ? type->name : gpu, times);
      if (type != nullptr) profile.power.p0 = type->peak * cluster.share;
      profile.memory_gib = kind.memory_gib;
      profile.source = "measured by the authors of ANDREAS: " + table.file;
      profiles.push_back(std::move(profile));
    }
  }
  return profiles;
}

AndreasFit fit_to_cluster(const AndreasKind& kind, const Cluster& cluster) {
  AndreasFit fit;
  const PossibleWays ways = possible_ways(kind, cluster);
  if (ways.empty()) return fit;
  const auto& [gpus, asked] = *ways.begin()->second.begin();
  fit.gpus = gpus;
  fit.asked = fit.single = fit.least = fit.most = asked;
  for (const auto& [type, times] : ways) {
    fit.types.push_back(type);
    double thriftiest = std::numeric_limits<double>::infinity();
    for (const auto& [count, seconds] : times) {
      fit.least = std::min(fit.least, seconds);
      fit.most = std::max(fit.most, seconds);
      if (count == fit.gpus) fit.single = std::min(fit.single, seconds);
      thriftiest = std::min(thriftiest, count * seconds);
    }
    fit.thriftiest.push_back(thriftiest);
  }
  return fit;
}

// How many epochs trainings needed before they stopped, by ANDREAS's authors: a column for each
// family of applications, a row for each percent of the most epochs.
namespace {

constexpr double kMostOff = 0.01;  // how far probabilities may be from 1 in all

Result<double> read_probability(const CsvTable& table, std::size_t column) {
  const std::string where = fmt::format("{}: {}", table.where(), table.columns()[column]);
  const auto value = parse_number<double>(table.cell(column));
  if (!value) return Error{value.error()}.in(where);
  if (*value >= 0 && *value <= 1) return *value;
  return Error{fmt::format("{}: {} is not a probability from 0 to 1", where, *value)};
}

/// The probabilities of each column.
Result<std::vector<std::vector<double>>> read_columns(CsvTable& table) {
  std::vector<std::vector<double>> columns(table.columns().size());
  while (table.next()) {
    if (!table.is_whole())
      return Error{fmt::format("{}: row: has {} cells, the head has {}", table.where(),
                               table.cells(), columns.size())};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      auto value = read_probability(table, i);
      if (!value) return std::move(value).error();
      columns[i].push_back(*value);
    }
  }
  return columns;
}

std::optional<std::size_t> find_family(std::string_view name,
                                       const std::vector<EpochFamily>& families) {
  const auto found = std::ranges::find(families, name, &EpochFamily::name);
  if (found == families.end()) return std::nullopt;
  return static_cast<std::size_t>(found - families.begin());
}

}  // namespace

Result<std::vector<EpochFamily>> parse_epochs(std::string_view text, const std::string& file) {
  auto table = CsvTable::open(text, file);
  if (!table) return std::move(table).error();
  const auto columns = read_columns(*table);
  if (!columns) return columns.error();
  std::vector<EpochFamily> families;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    const std::vector<double>& weights = (*columns)[i];
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::string& name = table->columns()[i];
    if (std::abs(all - 1) > kMostOff)
      return Error{
          fmt::format("{}: {}: probabilities add up to {:.6g}, not to 1", file, name, all)};
    families.push_back({name, Survival::spread(weights, 1)});
  }
  return families;
}

Result<std::size_t> family_of(std::string_view application,
                              const std::vector<EpochFamily>& families) {
  std::string name = lower_case(application);
  if (const auto at = name.find("mobilenet"); at != std::string::npos)
    name.replace(at, 9, "mobilnet");  // as the published file spells it
  const bool tensorflow = name.starts_with("tf") || name.starts_with("tensorflow");
  const std::string framework = tensorflow ? "TF" : "PY";
  for (std::size_t i = 0; i < families.size(); ++i) {
    const std::string& family = families[i].name;
    if (family.starts_with(framework + "_") && family.size() > 3 &&
        name.find(lower_case(std::string_view(family).substr(3))) != std::string::npos)
      return i;
  }
  for (const std::string& general : {framework, std::string("PY")})
    if (const auto place = find_family(general, families)) return *place;
  std::vector<std::string_view> names;
  names.reserve(families.size());
  for (const EpochFamily& family : families) names.push_back(family.name);
  return Error{
      fmt::format("has no family for '{}'; there are: {}", application, fmt::join(names, " "))};
}

}  // namespace penstock
