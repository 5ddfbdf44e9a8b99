#include "live/agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using nlohmann::json;

constexpr Duration kFresh = std::chrono::seconds(60);
constexpr double kMostWatts = 5000;  // no GPU draws that

}  // namespace

Result<Agents::Report> Agents::read(const json& body, Time now) {
  if (!body.is_object()) return Error{"the report must be a JSON object"};
  const auto gpus = body.find("gpus");
  if (gpus == body.end() || !gpus->is_array())
    return Error{"gpus: must be a list of objects with index and power_w"};
  Report report{.when = now};
  for (const json& each : *gpus) {
    if (!each.is_object() || !each.contains("index") || !each["index"].is_number_unsigned())
      return Error{"gpus: each needs an index, a whole number"};
    const auto number = [&](const char* name) -> std::optional<double> {
      const auto found = each.find(name);
      if (found == each.end() || !found->is_number()) return std::nullopt;
      return found->get<double>();
    };
    const double watts = number("power_w").value_or(-1);
    const auto index = each["index"].get<std::uint32_t>();
    if (!(watts >= 0 && watts <= kMostWatts)) {
      report.problems.push_back(fmt::format("GPU {} is said to draw {} W", index, watts));
      continue;
    }
    report.gpus[index] = {.power = Watts(watts),
                          .clock_mhz = static_cast<std::uint32_t>(
                              std::clamp(number("clock_mhz").value_or(0), 0.0, 1e5)),
                          .energy_j = number("energy_j")};
  }
  if (const auto told = body.find("problems"); told != body.end() && told->is_array())
    for (const json& each : *told)
      if (each.is_string() && report.problems.size() < 20)
        report.problems.push_back(each.get<std::string>().substr(0, 500));
  return report;
}

bool Agents::is_alive(const std::string& node, Time now) const {
  const auto found = reports_.find(node);
  return found != reports_.end() && now - found->second.when <= kFresh;
}

std::optional<Watts> Agents::draw(const std::vector<SlurmJob::Held>& held, Time now) const {
  Watts sum{};
  for (const SlurmJob::Held& each : held) {
    if (!is_alive(each.node, now)) return std::nullopt;
    const Report& report = reports_.find(each.node)->second;
    for (const std::uint32_t index : each.indices) {
      const auto gpu = report.gpus.find(index);
      if (gpu == report.gpus.end()) return std::nullopt;
      sum += gpu->second.power;
    }
  }
  return held.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace penstock
