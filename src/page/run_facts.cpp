#include "page/run_facts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "io/text/file.h"
#include "policy/budget.h"

namespace penstock {

// Flows between sites

namespace {

double defined(float value) {
  return std::isnan(value) ? 0 : static_cast<double>(value);
}

}  // namespace

std::vector<JobFlow> flows_of(std::span<const StoredJob> jobs, std::span<const std::string> sites) {
  if (sites.size() < 2) return {};
  std::map<std::pair<std::string_view, std::uint32_t>, JobFlow> by_ends;
  for (const StoredJob& job : jobs) {
    if (job.home.empty()) continue;
    JobFlow& flow = by_ends[{job.home, job.site}];
    ++flow.jobs;
    flow.gigabytes += defined(job.sent_gb);
    flow.gpu_hours += defined(job.gpus_mean) * seconds(job.held) / 3600;
  }
  std::vector<JobFlow> flows;
  for (auto& [ends, flow] : by_ends) {
    flow.from = ends.first;
    flow.to = sites[ends.second];
    flows.push_back(std::move(flow));
  }
  return flows;
}

// Facts of a run

namespace {

using Json = nlohmann::ordered_json;

std::optional<std::string> option(const RunSummary& run, const char* name) {
  const auto found = run.options.find(name);
  if (found == run.options.end()) return std::nullopt;
  return found->second;
}

Json numbers_json(const std::vector<double>& numbers) {
  Json list = Json::array();
  for (const double number : numbers)
    list.push_back(std::isfinite(number) ? Json(number) : Json(nullptr));
  return list;
}

/// Words by the place of each among those that differ, which are listed beside.
std::pair<Json, Json> words_json(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  Json places = Json::array();
  for (const std::string& word : words) {
    auto found = std::ranges::find(names, word);
    if (found == names.end()) found = names.insert(names.end(), word);
    places.push_back(found - names.begin());
  }
  return {std::move(places), names};
}

Json curve_json(const std::string& file, const std::vector<CurveColumn>& curve) {
  Json columns = Json::object();
  Json names = Json::object();
  for (const CurveColumn& column : curve) {
    if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
      columns[column.name] = numbers_json(*numbers);
      continue;
    }
    auto [places, words] = words_json(std::get<std::vector<std::string>>(column.values));
    columns[column.name] = std::move(places);
    names[column.name] = std::move(words);
  }
  return {{"file", file}, {"columns", std::move(columns)}, {"names", std::move(names)}};
}

}  // namespace

Json budget_json(const RunSummary& run) {
  const auto text = option(run, "energy_budget");
  if (!text || *text == "none") return nullptr;
  const Duration hour = std::chrono::hours(1);
  const auto budget = parse_budget(*text, hour, std::nullopt);
  if (!budget || !budget->window) return nullptr;
  return {{"watts", budget->amount.value() / seconds(hour)}, {"text", *text}};
}

Json learning_json(const RunSummary& run) {
  const auto weights = option(run, "weights");
  if (!weights) return nullptr;
  const std::string file = *weights + ".csv";
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return nullptr;
  constexpr std::uint64_t kLargestCurve = 16 << 20;
  auto text = read_file(file, kLargestCurve);
  if (!text) return nullptr;
  const auto curve = parse_curve(*text, file);
  return curve ? curve_json(file, *curve) : Json(nullptr);
}

Json flows_json(const StoredRun& run, const RunTables& tables) {
  Json flows = Json::array();
  if (!tables.jobs) return flows;
  for (const JobFlow& flow : flows_of(*tables.jobs, run.site_names))
    flows.push_back({{"from", flow.from},
                     {"to", flow.to},
                     {"jobs", flow.jobs},
                     {"gb", flow.gigabytes},
                     {"gpu_hours", flow.gpu_hours}});
  return flows;
}

}  // namespace penstock
