// Zeus's summary_power_GPU.csv: one GPU under power limits, seconds per epoch and average
// watts for each network and batch size. The limits that do not bind also tell how quick a
// batch is: an epoch is as many samples as the training set has.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "io/profiles/formats.h"
#include "io/text/number.h"

namespace penstock {
namespace {

constexpr std::string_view kName = "summary_power_";

/// What we call a network trained on a data set, and how many samples an epoch has.
struct ZeusWorkload {
  std::string_view dataset;
  std::string_view network;
  std::string_view model;
  double samples;
};
constexpr auto kWorkloads = std::to_array<ZeusWorkload>({
    {"cifar100", "shufflenetv2", "shufflenetv2", 50'000},
    {"imagenet", "resnet50", "resnet50", 1'281'167},
    {"librispeech", "deepspeech2", "deepspeech2", 281'241},
    {"movielens-1m", "ncf", "ncf", 4'970'845},  // each rating with four that were not given
    {"squad", "bert_base_uncased", "bert", 88'524},
    {"sentiment140", "bert_base_uncased", "bert-sentiment140", 1'600'000},
});

struct ZeusRow {
  const ZeusWorkload* workload = nullptr;
  double batch = 1;
  std::string optimizer{};
  LimitObservation seen{};
};

Result<std::optional<ZeusRow>> read_zeus_row(const CsvTable& table,
                                             const std::array<std::size_t, 7>& at) {
  ZeusRow row{.optimizer = std::string(table.cell(at[3]))};
  const auto known = std::ranges::find_if(kWorkloads, [&](const ZeusWorkload& w) {
    return w.dataset == table.cell(at[0]) && w.network == table.cell(at[1]);
  });
  if (known == kWorkloads.end())
    return cell_error(table, at[1],
                      fmt::format("{} on {} is not known; there are: resnet50 on imagenet, …",
                                  in_quotes(table.cell(at[1])), in_quotes(table.cell(at[0]))));
  row.workload = &*known;
  const auto batch = cell_number(table, at[2], kBatch);
  if (!batch) return batch.error();
  const auto limit = cell_number(table, at[4], kWatts);
  if (!limit) return limit.error();
  const auto seconds = cell_measured(table, at[5], kSeconds);
  if (!seconds) return seconds.error();
  const auto draw = cell_measured(table, at[6], kWatts);
  if (!draw) return draw.error();
  if (!*seconds || !*draw) return std::optional<ZeusRow>{};
  row.batch = *batch;
  row.seen = {Watts(*limit), **seconds * *batch / known->samples, Watts(**draw)};
  return std::optional(row);
}

/// The sweep of one network, batch and optimizer; one optimizer is as good as another.
LimitSweep& sweep_of(CollectedMeasurements& into, const ZeusRow& row, const std::string& gpu) {
  const std::string source = "Zeus, " + row.optimizer;
  auto& all = into.measurements.limits;
  const auto found = std::ranges::find_if(all, [&](const LimitSweep& sweep) {
    return sweep.model == row.workload->model && sweep.gpu == gpu && sweep.batch == row.batch &&
           sweep.source == source;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(LimitSweep{
      .model = std::string(row.workload->model), .gpu = gpu, .source = source, .batch = row.batch});
}

/// How quick each batch is where the limit is highest.
void add_speeds(CollectedMeasurements& into, std::size_t first) {
  for (std::size_t i = first; i < into.measurements.limits.size(); ++i) {
    const LimitSweep& sweep = into.measurements.limits[i];
    const auto& top = std::ranges::max(sweep.series, {}, &LimitObservation::limit);
    SpeedTable& speeds = speed_table(into, sweep.model, sweep.gpu, "Zeus");
    speeds.batch_per_gpu = true;
    speeds.points.push_back({{1, 1, sweep.batch, 1}, top.seconds});
  }
}

}  // namespace

bool knows_zeus(const MeasurementFile& file) {
  return head_is(file, "dataset,network,batch_size,optimizer,power_limit");
}

Result<Done> read_zeus(const MeasurementFile& file, CollectedMeasurements& into) {
  if (!file.name.starts_with(kName))
    return Error{file.path +
                 ": a power table says its GPU type by its name, such as summary_power_v100.csv"};
  const std::string gpu = lower_case(file.name.substr(kName.size()));
  auto table = CsvTable::open(file.text, file.path);
  if (!table) return table.error();
  const auto columns = table->columns({"dataset", "network", "batch_size", "optimizer",
                                       "power_limit", "time_per_epoch", "average_power"});
  if (!columns) return columns.error();
  const std::size_t first = into.measurements.limits.size();
  while (table->next()) {
    const auto row = read_zeus_row(*table, *columns);
    if (!row) return row.error();
    into.not_measured += *row ? 0 : 1;
    if (*row) sweep_of(into, **row, gpu).series.push_back((*row)->seen);
  }
  for (std::size_t i = first; i < into.measurements.limits.size(); ++i)
    std::ranges::sort(into.measurements.limits[i].series, {}, &LimitObservation::limit);
  add_speeds(into, first);
  return Done{};
}

}  // namespace penstock
