// Perseus's iteration_time_energy: what its planner of clocks says that an iteration of a whole
// pipeline takes and needs, from the quickest plan to those in which GPUs only wait longer. The
// file is called as the model and its microbatches, gpt3-175b_bf16_mb96, and its folder as the GPU,
// a100_sxm.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "io/profiles/formats.h"

namespace penstock {
namespace {

/// Stages of the pipelines, a GPU each: as many as there are in the stage profiles of these models.
constexpr std::uint32_t kStages = 8;

}  // namespace

bool knows_perseus_front(const MeasurementFile& file) {
  return head_is(file, "time,energy");
}

Result<Done> read_perseus_front(const MeasurementFile& file, CollectedMeasurements& into) {
  auto table = CsvTable::open(file.text, file.path);
  if (!table) return table.error();
  const auto columns = table->columns({"time", "energy"});
  if (!columns) return columns.error();
  PipelineFront front{.model = file.name,
                      .gpu = lower_case(file.folder.substr(0, file.folder.find('_'))),
                      .source = "Perseus",
                      .gpus = kStages};
  while (table->next()) {
    const auto seconds = cell_measured(*table, (*columns)[0], kSeconds);
    if (!seconds) return seconds.error();
    const auto joules = cell_measured(*table, (*columns)[1], {1e-6, 1e9});
    if (!joules) return joules.error();
    into.not_measured += *seconds && *joules ? 0 : 1;
    if (*seconds && *joules) front.points.push_back({**seconds, **joules});
  }
  std::ranges::sort(front.points, {},
                    [](const FrontPoint& point) { return std::pair(point.seconds, point.joules); });
  if (!front.points.empty()) into.measurements.fronts.push_back(std::move(front));
  return Done{};
}

}  // namespace penstock
