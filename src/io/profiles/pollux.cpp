// Pollux's measurements on T4: placements.csv and scalability.csv hold seconds per step, by
// placement (one digit for each node: its GPUs) or by nodes and replicas, and the batch of
// each GPU. validation-B.csv holds how far the training with batch B was after how many
// iterations. The folder is called after the model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "io/profiles/formats.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::string_view kValidation = "validation-";
constexpr ValueRange kCount{1, 1e5};
constexpr ValueRange kProgress{1e-9, 1e15};

struct PlacementSpread {
  std::uint32_t gpus = 0;
  std::uint32_t nodes = 0;
};

Result<PlacementSpread> placement_cell(const CsvTable& table, std::size_t column) {
  PlacementSpread spread;
  for (const char digit : table.cell(column)) {
    if (digit < '1' || digit > '9') break;
    spread.gpus += static_cast<std::uint32_t>(digit - '0');
    ++spread.nodes;
  }
  if (spread.nodes == 0 || spread.nodes != table.cell(column).size())
    return cell_error(table, column,
                      in_quotes(table.cell(column)) +
                          " is not a placement such as 44: for each node a digit, its GPUs");
  return spread;
}

Result<PlacementSpread> spread_cells(const CsvTable& table) {
  if (const auto placement = table.find("placement")) return placement_cell(table, *placement);
  const auto columns = table.columns({"num_nodes", "num_replicas"});
  if (!columns) return columns.error();
  const auto nodes = cell_number(table, (*columns)[0], kCount);
  if (!nodes) return nodes.error();
  const auto gpus = cell_number(table, (*columns)[1], kCount);
  if (!gpus) return gpus.error();
  if (*gpus < *nodes)
    return cell_error(table, (*columns)[1], "is less than num_nodes: a node without a GPU");
  return PlacementSpread{static_cast<std::uint32_t>(*gpus), static_cast<std::uint32_t>(*nodes)};
}

/// One row, or nothing if it was not measured. `at`: batch, step and sync.
Result<std::optional<SpeedObservation>> read_pollux_row(const CsvTable& table,
                                                        const std::array<std::size_t, 3>& at) {
  const auto spread = spread_cells(table);
  if (!spread) return spread.error();
  const auto batch = cell_number(table, at[0], kBatch);
  if (!batch) return batch.error();
  const auto step = cell_measured(table, at[1], kSeconds);
  if (!step) return step.error();
  const auto sync = cell_measured(table, at[2], kSeconds);
  if (!sync) return sync.error();
  if (*step && *sync && **sync > **step)
    return cell_error(table, at[2], "is longer than step_time, of which it is a part");
  if (!*step) return std::optional<SpeedObservation>{};
  return std::optional(
      SpeedObservation{{spread->gpus, spread->nodes, *batch * spread->gpus, 1}, **step});
}

}  // namespace

bool knows_pollux_times(const MeasurementFile& file) {
  return head_is(file, "placement,") || head_is(file, "num_nodes,");
}

Result<Done> read_pollux_times(const MeasurementFile& file, CollectedMeasurements& into) {
  auto table = CsvTable::open(file.text, file.path);
  if (!table) return table.error();
  const auto columns = table->columns({"local_bsz", "step_time", "sync_time"});
  if (!columns) return columns.error();
  SpeedTable& speeds = speed_table(into, file.folder, "t4", "Pollux");
  speeds.batch_per_gpu = true;
  while (table->next()) {
    const auto row = read_pollux_row(*table, *columns);
    if (!row) return row.error();
    into.not_measured += *row ? 0 : 1;
    if (*row) speeds.points.push_back(**row);
  }
  return Done{};
}

bool knows_pollux_validation(const MeasurementFile& file) {
  return head_is(file, "progress,iteration");
}

Result<Done> read_pollux_validation(const MeasurementFile& file, CollectedMeasurements& into) {
  const auto batch = file.name.starts_with(kValidation)
                         ? parse_number<double>(file.name.substr(kValidation.size()))
                         : Error{""};
  if (!batch || *batch < kBatch.least || *batch > kBatch.most)
    return Error{file.path +
                 ": a progress table says its batch size by its name, such as validation-64.csv"};
  auto table = CsvTable::open(file.text, file.path);
  if (!table) return table.error();
  const auto columns = table->columns({"progress", "iteration"});
  if (!columns) return columns.error();
  ProgressCurve curve{.model = file.folder, .file = file.path, .batch = *batch};
  while (table->next()) {
    const auto progress = cell_number(*table, (*columns)[0], kProgress);
    if (!progress) return progress.error();
    const auto iteration = cell_number(*table, (*columns)[1], kProgress);
    if (!iteration) return iteration.error();
    if (!curve.points.empty() && *progress <= curve.points.back().first)
      return cell_error(*table, (*columns)[0], "does not rise");
    curve.points.emplace_back(*progress, *iteration);
  }
  if (curve.points.empty()) return Error{file.path + ": has no rows"};
  into.curves.push_back(std::move(curve));
  return Done{};
}

namespace {

/// Iterations until the curve is so far, between its points by a straight line.
double iterations_until(const ProgressCurve& curve, double progress) {
  std::pair<double, double> before{0, 0};
  for (const auto& point : curve.points) {
    if (point.first >= progress)
      return before.second + (point.second - before.second) * (progress - before.first) /
                                 (point.first - before.first);
    before = point;
  }
  return before.second;
}

NoiseTable noise_of(const std::string& model, std::vector<ProgressCurve>& curves) {
  std::ranges::sort(curves, {}, &ProgressCurve::batch);
  double common = curves.front().points.back().first;
  for (const ProgressCurve& curve : curves) common = std::min(common, curve.points.back().first);
  NoiseTable table{.model = model, .source = "Pollux"};
  for (const ProgressCurve& curve : curves)
    table.points.push_back({curve.batch, iterations_until(curve, common) * curve.batch});
  return table;
}

}  // namespace

Result<std::vector<NoiseTable>> noise_tables(const std::vector<ProgressCurve>& curves) {
  std::map<std::string, std::vector<ProgressCurve>> by_model;
  for (const ProgressCurve& curve : curves) {
    std::vector<ProgressCurve>& others = by_model[curve.model];
    const auto duplicate = std::ranges::find(others, curve.batch, &ProgressCurve::batch);
    if (duplicate != others.end())
      return Error{
          fmt::format("{}: has the same model and batch size as {}", curve.file, duplicate->file)};
    others.push_back(curve);
  }
  std::vector<NoiseTable> tables;
  for (auto& [model, of_model] : by_model)
    if (of_model.size() > 1) tables.push_back(noise_of(model, of_model));
  return tables;
}

}  // namespace penstock
