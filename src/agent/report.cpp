#include "agent/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace penstock::agent {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <class T>
OrderedJson or_null(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

OrderedJson or_null(const std::optional<Watts>& value) {
  return value ? OrderedJson(value->value()) : OrderedJson();
}

OrderedJson gpu_json(const Report::Gpu& gpu, std::size_t index) {
  return {{"index", index},
          {"power_w", or_null(gpu.reading.power)},
          {"clock_mhz", or_null(gpu.reading.clock_mhz)},
          {"utilization", or_null(gpu.reading.utilization)},
          {"energy_j", gpu.energy.value()},
          {"limit_w", or_null(gpu.reading.limit)}};
}

}  // namespace

std::string to_json(const Report& report) {
  OrderedJson object{{"node", report.node}};
  if (!report.site.empty()) object["site"] = report.site;
  object["time"] = format_time(report.time);
  object["gpus"] = OrderedJson::array();
  for (const Report::Gpu& gpu : report.gpus)
    object["gpus"].push_back(gpu_json(gpu, object["gpus"].size()));
  object["applied"] = OrderedJson::array();
  for (const AppliedClock& applied : report.applied)
    object["applied"].push_back(
        {{"index", applied.index}, {"clock_mhz", or_null(applied.clock_mhz)}});
  object["problems"] = report.problems;
  return object.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void GpuMeters::read(Duration at, Report& report) {
  for (unsigned index = 0; index < nvml_.gpu_count(); ++index) {
    Report::Gpu gpu{.reading = nvml_.read(index)};
    const auto source = meters_[index].add(gpu.reading, at);
    gpu.energy = meters_[index].total();
    if (source == EnergyMeter::Source::power)
      report.problems.push_back(
          fmt::format("GPU {}: has no energy counter; energy_j is added up from its power", index));
    if (source == EnergyMeter::Source::doubtful_counter)
      report.problems.push_back(fmt::format(
          "GPU {}: its energy counter jumps; energy_j was added up from its power", index));
    report.problems.insert(report.problems.end(), gpu.reading.problems.begin(),
                           gpu.reading.problems.end());
    report.gpus.push_back(std::move(gpu));
  }
}

namespace {

constexpr Watts kMostPower(10'000);  // no GPU is near

bool is_believable(Joules more, Duration elapsed) {
  return more >= Joules(0) && more <= kMostPower * (elapsed + std::chrono::seconds(1));
}

}  // namespace

EnergyMeter::Source EnergyMeter::add(const Reading& reading, Duration at) {
  const bool first = !at_;
  const Duration elapsed = first ? Duration::zero() : at - *at_;
  const Watts draw = power_.value_or(reading.power.value_or(Watts(0)));
  const Joules by_power = (draw + reading.power.value_or(draw)) * 0.5 * elapsed;
  const auto counter_before = counter_;
  counter_ = reading.energy;
  power_ = reading.power;
  at_ = at;
  if (first && reading.energy) {
    total_ = *reading.energy;
    return Source::counter;
  }
  if (reading.energy && counter_before &&
      is_believable(*reading.energy - *counter_before, elapsed)) {
    total_ += *reading.energy - *counter_before;
    return Source::counter;
  }
  total_ += by_power;
  return reading.energy && counter_before ? Source::doubtful_counter : Source::power;
}

}  // namespace penstock::agent
