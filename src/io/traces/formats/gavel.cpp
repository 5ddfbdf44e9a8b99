// V100 throughputs of isolated jobs ("null"), rounded to five digits, from
// stanford-futuredata/gavel@c4fa400 (MIT), scheduler/simulation_throughputs.json.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "io/text/csv.h"
#include "io/text/lines.h"
#include "io/text/number.h"
#include "io/traces/rows.h"

namespace penstock {
namespace {

/// Steps per second on 1, 2, 4 and 8 GPUs; 0 where none was measured.
struct GavelThroughputs {
  std::string_view job_type{};
  std::array<double, 4> on{};
};

constexpr auto kThroughputs = std::to_array<GavelThroughputs>({
    {"ResNet-18 (batch size 16)", {32.353, 100.14, 123.85, 382.6}},
    {"ResNet-18 (batch size 32)", {29.947, 94.249, 114.73, 340.04}},
    {"ResNet-18 (batch size 64)", {24.093, 74.136, 95.588, 255.83}},
    {"ResNet-18 (batch size 128)", {17.995, 23.985, 69.951, 162.09}},
    {"ResNet-18 (batch size 256)", {10.3, 15.883, 27.782, 81.507}},
    {"ResNet-50 (batch size 16)", {11.396, 13.86, 23.196, 27.799}},
    {"ResNet-50 (batch size 32)", {7.7873, 10.835, 13.763, 24.067}},
    {"ResNet-50 (batch size 64)", {4.3948, 7.9221, 9.4519, 17.303}},
    {"ResNet-50 (batch size 128)", {2.4968, 4.223, 7.0293, 10.293}},
    {"Transformer (batch size 16)", {11.064, 14.154, 20.085, 71.652}},
    {"Transformer (batch size 32)", {10.621, 13.328, 22.823, 63.978}},
    {"Transformer (batch size 64)", {8.6178, 15.876, 19.66, 49.651}},
    {"Transformer (batch size 128)", {5.4461, 10.069, 14.175, 30.884}},
    {"Transformer (batch size 256)", {1.5951, 2.8852, 4.763, 9.717}},
    {"A3C", {7.1758, 0, 0, 0}},
    {"LM (batch size 5)", {109.17, 185.72, 126.72, 698.77}},
    {"LM (batch size 10)", {81.652, 163.13, 121.48, 615.09}},
    {"LM (batch size 20)", {64.742, 132.17, 111, 497.3}},
    {"LM (batch size 40)", {45.237, 91.593, 96.031, 359.31}},
    {"LM (batch size 80)", {28.24, 58.092, 74.807, 231.18}},
    {"Recommendation (batch size 512)", {23.318, 0, 0, 0}},
    {"Recommendation (batch size 1024)", {13.283, 0, 0, 0}},
    {"Recommendation (batch size 2048)", {7.4696, 0, 0, 0}},
    {"Recommendation (batch size 4096)", {3.9061, 0, 0, 0}},
    {"Recommendation (batch size 8192)", {2.8415, 0, 0, 0}},
    {"CycleGAN", {4.4261, 0, 0, 0}},
});

}  // namespace

std::optional<double> gavel_throughput(std::string_view job_type, std::uint32_t gpus) {
  const auto* const found = std::ranges::find(kThroughputs, job_type, &GavelThroughputs::job_type);
  if (found == kThroughputs.end() || !std::has_single_bit(gpus) || gpus > 8) return std::nullopt;
  const double speed = found->on[static_cast<std::size_t>(std::countr_zero(gpus))];
  return speed > 0 ? std::optional(speed) : std::nullopt;
}

// Gavel traces: fields between tabs, no head.
//   7: job type, command, steps argument, needs data, steps, arrival, GPUs
//  10: job type, command, folder, steps argument, needs data, steps, GPUs,
//      priority, service level objective (-1: none), arrival
// The run time is steps / throughput on V100s. Which throughput differs: in the
// files of 10 fields, steps / throughput at the asked size gives the round times
// they were made of; in those of 7 fields, derived from Philly, only steps / one-GPU
// throughput gives like times for all job types, so that is how they were counted.
Result<Done> read_gavel(std::string_view text, TraceRows& rows);

namespace {

struct GavelLayout {
  std::size_t fields = 0, steps = 0, arrival = 0, gpus = 0;
  bool counted_on_one_gpu = false;
};
constexpr GavelLayout kSeven{
    .fields = 7, .steps = 4, .arrival = 5, .gpus = 6, .counted_on_one_gpu = true};
constexpr GavelLayout kTen{.fields = 10, .steps = 5, .arrival = 9, .gpus = 6};
constexpr std::size_t kPriority = 7;
constexpr std::size_t kObjective = 8;

/// "ResNet-18 (batch size 64)": its model, and the batch of each worker, which has one GPU: the
/// authors' programs make batches of this size in every process and give each a part of the data.
struct GavelModel {
  std::string_view name{};
  double worker_batch = 0;  ///< 0 if the job type names none
};

GavelModel gavel_model(std::string_view job_type) {
  constexpr std::string_view kMark = " (batch size ";
  const std::size_t mark = job_type.find(kMark);
  if (mark == std::string_view::npos) return {job_type};
  const std::string_view number = job_type.substr(mark + kMark.size());
  const auto batch = parse_number<double>(number.substr(0, number.find(')')));
  return {job_type.substr(0, mark), batch ? *batch : 0};
}

Duration gavel_run_time(Row& row, std::string_view job_type, std::string_view steps,
                        std::uint32_t gpus) {
  const auto throughput = gavel_throughput(job_type, gpus);
  if (!throughput)
    row.fail(
        "job type", "no throughput known",
        fmt::format("no V100 throughput is known for {} on {} GPUs", in_quotes(job_type), gpus));
  const double count = row.number("steps", steps);
  if (!(count > 0)) row.fail("steps", "not positive", fmt::format("{} is not positive", count));
  return row.duration("steps", count / throughput.value_or(1), kSecond);
}

void fill_gavel_job(Row& row, const std::vector<std::string_view>& cells,
                    const GavelLayout& layout) {
  auto& traced = row.job;
  const GavelModel model = gavel_model(trim(cells[0]));
  traced.job.kind = model.name;
  traced.job.gpus = row.gpus("scale factor", trim(cells[layout.gpus]));
  traced.job.batch = model.worker_batch * traced.job.gpus;
  traced.job.submitted = row.offset("arrival", trim(cells[layout.arrival]), kSecond);
  traced.actual = gavel_run_time(row, trim(cells[0]), trim(cells[layout.steps]),
                                 layout.counted_on_one_gpu ? 1 : traced.job.gpus);
  if (layout.fields != kTen.fields) return;
  traced.job.priority = row.number("priority", trim(cells[kPriority]));
  const double objective = row.number("SLO", trim(cells[kObjective]));
  if (objective > 0)  // times the run time
    traced.job.deadline =
        traced.job.submitted + row.duration("SLO", objective * seconds(traced.actual), kSecond);
}

}  // namespace

Result<Done> read_gavel(std::string_view text, TraceRows& rows) {
  rows.note("run times are derived: steps / V100 throughput of the job alone");
  LineReader lines(text);
  std::vector<std::string_view> cells;
  while (const auto line = lines.next()) {
    if (trim(*line).empty()) continue;
    Row row(rows.open(), lines.number());
    row.job.job.name = std::to_string(lines.number());
    cells.clear();
    for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
      end = line->find('\t', begin);
      cells.push_back(line->substr(begin, end - begin));
    }
    if (cells.size() == kSeven.fields) {
      fill_gavel_job(row, cells, kSeven);
    } else if (cells.size() == kTen.fields) {
      fill_gavel_job(row, cells, kTen);
    } else {
      row.fail("row", "wrong number of fields",
               fmt::format("has {} fields between tabs instead of 7 or 10", cells.size()));
    }
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
