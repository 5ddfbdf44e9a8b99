#include "live/site/agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/json/json_at.h"

namespace penstock {
namespace {

using nlohmann::json;

constexpr Duration kFresh = std::chrono::seconds(60);
constexpr double kMostWatts = 5000;  // no GPU draws that
constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kLongestProblem = 500;

std::optional<double> number_at(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

/// False if it is no GPU at all.
bool read_gpu(const json& gpu, Agents::Report& report) {
  if (!gpu.is_object()) return false;
  const auto index = gpu.find("index");
  if (index == gpu.end() || !index->is_number_unsigned()) return false;
  const double watts = number_at(gpu, "power_w").value_or(-1);
  if (!(watts >= 0 && watts <= kMostWatts)) {
    report.problems.push_back(
        fmt::format("GPU {} is said to draw {} W", index->get<std::uint32_t>(), watts));
    return true;
  }
  report.gpus[index->get<std::uint32_t>()] = {
      .power = Watts(watts),
      .clock_mhz =
          static_cast<std::uint32_t>(std::clamp(number_at(gpu, "clock_mhz").value_or(0), 0.0, 1e5)),
      .energy_j = number_at(gpu, "energy_j")};
  return true;
}

void read_problems(const json& body, Agents::Report& report) {
  for (const json& each : list_at(body, "problems"))
    if (each.is_string() && report.problems.size() < kMostProblems)
      report.problems.push_back(each.get<std::string>().substr(0, kLongestProblem));
}

}  // namespace

Result<Agents::Report> Agents::read(const json& body, Time now) {
  if (!body.is_object()) return Error{"the report must be a JSON object"};
  const auto gpus = body.find("gpus");
  if (gpus == body.end() || !gpus->is_array())
    return Error{"gpus: must be a list of objects with index and power_w"};
  Report report{.when = now};
  for (const json& each : *gpus)
    if (!read_gpu(each, report)) return Error{"gpus: each needs an index, a whole number"};
  read_problems(body, report);
  return report;
}

bool Agents::is_alive(const std::string& node, Time now) const {
  const auto found = reports_.find(node);
  return found != reports_.end() && now - found->second.when <= kFresh;
}

const Agents::Report* Agents::report_of(const std::string& node, const Span& within) const {
  if (!is_alive(node, within.now)) return nullptr;
  const Report& report = reports_.find(node)->second;
  return report.when >= within.since ? &report : nullptr;
}

std::optional<std::vector<Agents::Reading>> Agents::readings(
    const std::vector<SlurmJob::Held>& held, const Span& within) const {
  std::vector<Reading> all;
  for (const SlurmJob::Held& each : held) {
    const Report* report = report_of(each.node, within);
    if (report == nullptr) return std::nullopt;
    for (const std::uint32_t index : each.indices) {
      const auto gpu = report->gpus.find(index);
      if (gpu == report->gpus.end() || !gpu->second.energy_j) return std::nullopt;
      all.push_back({report->when, *gpu->second.energy_j});
    }
  }
  return all.empty() ? std::nullopt : std::optional(std::move(all));
}

std::optional<Watts> Agents::draw_between(const std::vector<Reading>& from,
                                          const std::vector<Reading>& to) {
  if (from.size() != to.size() || from.empty()) return std::nullopt;
  Watts sum{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i].when <= from[i].when) return std::nullopt;
    const Watts drew = Joules(to[i].joules - from[i].joules) / (to[i].when - from[i].when);
    if (!(drew >= Watts(0) && drew <= Watts(kMostWatts))) return std::nullopt;  // or a new counter
    sum += drew;
  }
  return sum;
}

std::optional<Watts> Agents::draw(const std::vector<SlurmJob::Held>& held,
                                  const Span& within) const {
  Watts sum{};
  for (const SlurmJob::Held& each : held) {
    const Report* report = report_of(each.node, within);
    if (report == nullptr) return std::nullopt;
    for (const std::uint32_t index : each.indices) {
      const auto gpu = report->gpus.find(index);
      if (gpu == report->gpus.end()) return std::nullopt;
      sum += gpu->second.power;
    }
  }
  return held.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace penstock
