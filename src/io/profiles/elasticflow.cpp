// ElasticFlow's throughput tables: a row for each batch size over all GPUs, a column for
// each number of GPUs, iterations per second. The file is called after the model and
// lies in a folder throughputs_GPU. Blank, 0 and nan: not measured.
#include <fmt/format.h>

#include "base/text.h"
#include "io/profiles/formats.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::string_view kHead = "global_batch_size,";
constexpr std::string_view kFolder = "throughputs_";

/// T4 machines have four GPUs, the others eight: where the tables have their step.
std::uint32_t gpus_of_node(std::string_view gpu) {
  return gpu == "t4" ? 4 : 8;
}

Result<std::vector<std::uint32_t>> gpus_of_columns(const CsvTable& table) {
  std::vector<std::uint32_t> gpus{0};
  for (std::size_t i = 1; i < table.columns().size(); ++i) {
    const auto count = parse_number<std::uint32_t>(table.columns()[i]);
    if (!count || *count < 1 || *count > 100'000)
      return Error{fmt::format("{}: {} is not a number of GPUs", table.where(),
                               in_quotes(table.columns()[i]))};
    gpus.push_back(*count);
  }
  return gpus;
}

/// Adds one row: a batch size on several numbers of GPUs.
Result<Done> read_elasticflow_row(const CsvTable& table, const std::vector<std::uint32_t>& gpus,
                                  SpeedTable& speeds, CollectedMeasurements& into) {
  const auto batch = cell_number(table, 0, kBatch);
  if (!batch) return batch.error();
  const std::uint32_t node = gpus_of_node(speeds.gpu);
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    const bool is_nan = lower_case(table.cell(i)) == "nan";
    const auto rate = is_nan ? std::optional<double>{} : cell_measured(table, i, kRate);
    if (!rate) return rate.error();
    into.not_measured += *rate ? 0 : 1;
    if (*rate)
      speeds.points.push_back({{gpus[i], (gpus[i] + node - 1) / node, *batch, 1}, 1 / **rate});
  }
  return Done{};
}

}  // namespace

bool knows_elasticflow(const MeasurementFile& file) {
  return head_is(file, kHead);
}

Result<Done> read_elasticflow(const MeasurementFile& file, CollectedMeasurements& into) {
  if (!file.folder.starts_with(kFolder))
    return Error{
        fmt::format("{}: a throughput table says its GPU type by its folder, such as "
                    "throughputs_A100; this one lies in '{}'",
                    file.path, file.folder)};
  const std::string gpu = lower_case(file.folder.substr(kFolder.size()));
  auto table = CsvTable::open(file.text, file.path);
  if (!table) return table.error();
  const auto gpus = gpus_of_columns(*table);
  if (!gpus) return gpus.error();
  SpeedTable& speeds = speed_table(into, file.name, gpu, "ElasticFlow");
  while (table->next()) {
    const auto row = read_elasticflow_row(*table, *gpus, speeds, into);
    if (!row) return row.error();
  }
  return Done{};
}

}  // namespace penstock
