#include "report/stored_summary.h"

#include <nlohmann/json.hpp>

#include "report/measures.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Absent, null and everything that is no number are undefined.
template <class Of>
void read_measures(const Json& object, std::span<const SummaryMeasure<Of>> measures, Of& into) {
  for (const SummaryMeasure<Of>& measure : measures) {
    const auto found = object.find(std::string(measure.name));
    if (found != object.end() && found->is_number()) into.*measure.value = found->get<double>();
  }
}

/// What node_gpus says; nothing if one of its entries is not as it should be.
std::vector<NodeRun> node_runs_of(const Json& site) {
  const auto found = site.find("node_gpus");
  if (found == site.end() || !found->is_array()) return {};
  std::vector<NodeRun> runs;
  for (const Json& run : *found) {
    const bool whole = run.is_array() && run.size() == 4 && run[0].is_number_unsigned() &&
                       run[1].is_number_unsigned() && run[2].is_string() &&
                       run[3].is_number_unsigned();
    if (!whole) return {};
    runs.push_back({run[0].get<std::uint32_t>(), run[1].get<std::uint32_t>(),
                    run[2].get<std::string>(), run[3].get<std::uint32_t>()});
  }
  return runs;
}

SiteSummary site_of(const Json& object) {
  SiteSummary site{.name = text_of(object, "name")};
  read_measures(object, site_measures(), site);
  site.carbon_kind = text_of(object, "carbon_kind");
  if (const auto first = object.find("first_gpu");
      first != object.end() && first->is_number_unsigned())
    site.first_gpu = first->get<std::uint32_t>();
  site.node_runs = node_runs_of(object);
  return site;
}

RunSummary run_of(const Json& object) {
  RunSummary run{.policy = text_of(object, "policy")};
  if (const auto options = object.find("options"); options != object.end() && options->is_object())
    for (const auto& [name, value] : options->items())
      if (value.is_string()) run.options.emplace(name, value.get<std::string>());
  if (const auto dir = object.find("dir"); dir != object.end() && dir->is_string())
    run.dir = dir->get<std::string>();
  run.time_origin = parse_time(text_of(object, "time_origin"));
  read_measures(object, run_measures(), run);
  if (const auto sites = object.find("sites"); sites != object.end() && sites->is_array())
    for (const Json& site : *sites)
      if (site.is_object()) run.sites.push_back(site_of(site));
  return run;
}

SummaryHead head_of(const Json& root) {
  SummaryHead head{.version = text_of(root, "version"),
                   .scenario = text_of(root, "scenario"),
                   .scenario_hash = text_of(root, "scenario_hash"),
                   .currency = text_of(root, "currency")};
  if (const auto seed = root.find("seed"); seed != root.end() && seed->is_number_unsigned())
    head.seed = seed->get<std::uint64_t>();
  if (const auto point = root.find("point"); point != root.end() && point->is_object())
    for (const auto& [name, value] : point->items())
      if (value.is_string()) head.point.emplace_back(name, value.get<std::string>());
  return head;
}

}  // namespace

Result<StoredSummary> parse_summary(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  if (!root.is_object()) return Error{"is not a summary.json: no JSON object"};
  const auto runs = root.find("runs");
  if (runs == root.end() || !runs->is_array() || text_of(root, "version").empty())
    return Error{"is not a summary.json: it needs 'version' and the list 'runs'"};
  StoredSummary summary{.head = head_of(root)};
  for (const Json& run : *runs) {
    if (!run.is_object()) return Error{"is not a summary.json: 'runs' must be a list of objects"};
    summary.runs.push_back(run_of(run));
  }
  return summary;
}

}  // namespace penstock
