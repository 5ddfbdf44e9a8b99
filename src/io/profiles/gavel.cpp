// Gavel's simulation_throughputs.json: for each GPU type and "('Model (batch size N)', GPUs)"
// the steps per second of the job alone ("null"), all GPUs together; pairs of jobs on one
// GPU are not read. N is the batch of one GPU and a step one batch of one GPU: with N = 128
// over all GPUs, eight K80s could not do ResNet-18 three times as fast as one does N = 16.
// GPU types that end in _unconsolidated have one GPU in each node. 0: does not fit.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "io/profiles/formats.h"
#include "io/text/number.h"
#include "io/traces/json.h"

namespace penstock {
namespace {

constexpr std::string_view kApart = "_unconsolidated";
constexpr std::string_view kBatchMark = " (batch size ";

struct GavelKey {
  std::string model{};
  double batch = 1;
  std::uint32_t gpus = 0;
};

/// "('ResNet-50 (batch size 32)', 4)".
std::optional<GavelKey> parse_key(std::string_view text) {
  const std::size_t end = text.rfind("', ");
  if (!text.starts_with("('") || !text.ends_with(")") || end == std::string_view::npos || end < 2)
    return std::nullopt;
  const auto gpus = parse_number<std::uint32_t>(text.substr(end + 3, text.size() - end - 4));
  if (!gpus || *gpus < 1 || *gpus > 100'000) return std::nullopt;
  const std::string_view job = text.substr(2, end - 2);
  const std::size_t mark = job.find(kBatchMark);
  GavelKey key{.model = std::string(job.substr(0, mark)), .gpus = *gpus};
  if (mark == std::string_view::npos) return key;
  const std::string_view number = job.substr(mark + kBatchMark.size());
  const auto batch = parse_number<double>(number.substr(0, number.find(')')));
  if (!batch || *batch < kBatch.least || *batch > kBatch.most) return std::nullopt;
  key.batch = *batch;
  return key;
}

/// "ResNet-50" is resnet50 elsewhere.
std::string plain_name(std::string_view model) {
  std::string name = lower_case(model);
  std::erase(name, '-');
  return name;
}

Result<Done> add_throughputs(const std::string& where, const GavelKey& key, std::string_view worker,
                             const nlohmann::json& job, CollectedMeasurements& into) {
  const nlohmann::json& alone = member(job, "null");
  if (!alone.is_number()) return Error{where + ": null: must be a number: steps per second"};
  const double rate = alone.get<double>();
  if (rate == 0) {
    ++into.not_measured;
    return Done{};
  }
  if (!(rate >= kRate.least && rate <= kRate.most))
    return Error{fmt::format("{}: null: {} is not believable; from {} to {} is", where, rate,
                             kRate.least, kRate.most)};
  const bool apart = worker.ends_with(kApart);
  if (apart && key.gpus == 1) return Done{};  // the same as in one node
  const std::string gpu(worker.substr(0, worker.size() - (apart ? kApart.size() : 0)));
  SpeedTable& speeds = speed_table(into, plain_name(key.model), gpu, "Gavel");
  speeds.batch_per_gpu = true;
  speeds.points.push_back(
      {{key.gpus, apart ? key.gpus : 1, key.batch * key.gpus, 1}, key.gpus / rate});
  return Done{};
}

}  // namespace

bool knows_gavel(const MeasurementFile& file) {
  return file.text.starts_with("{") && file.text.find("\"('") != std::string_view::npos;
}

Result<Done> read_gavel(const MeasurementFile& file, CollectedMeasurements& into) {
  const auto document = parse_json(file.text, file.path);
  if (!document) return document.error();
  for (const auto& [worker, jobs] : document->items()) {
    for (const auto& [name, job] : jobs.items()) {
      const std::string where = fmt::format("{}: {}: {}", file.path, worker, name);
      const auto key = parse_key(name);
      if (!key) return Error{where + ": is not a job such as ('ResNet-50 (batch size 32)', 4)"};
      const auto added = add_throughputs(where, *key, worker, job, into);
      if (!added) return added.error();
    }
  }
  return Done{};
}

}  // namespace penstock
