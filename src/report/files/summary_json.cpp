#include "report/files/summary_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/measures/run_summary.h"

namespace penstock {

// Writing

namespace {

std::string number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return "null";
  return fmt::format("{}", *value);
}

/// Writes one member or element a line, indented, commas where they belong.
class Writer {
 public:
  void open(char bracket) {
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!first_) new_line();
    text_ += bracket;
    first_ = false;
  }
  /// Begins a member; its value follows.
  void key(std::string_view name) {
    element();
    text_ += json_string(name) + ": ";
  }
  /// Begins an element of an array.
  void element() {
    if (!first_) text_ += ',';
    new_line();
    first_ = false;
  }
  void member(std::string_view name, const std::string& value) {
    key(name);
    text_ += value;
  }
  std::string take() && { return std::move(text_) + "\n"; }

 private:
  void new_line() { text_.append(1, '\n').append(2 * depth_, ' '); }

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

void write_definitions(Writer& out) {
  const auto define = [&](const std::string& prefix, const auto& measures) {
    for (const auto& m : measures)
      out.member(prefix + std::string(m.name),
                 json_string(fmt::format("[{}] {}", m.unit, m.definition)));
  };
  out.key("definitions");
  out.open('{');
  define("", run_measures());
  define("sites.", site_measures());
  out.close('}');
}

void write_point(Writer& out, const SummaryHead& head) {
  out.key("point");
  out.open('{');
  for (const auto& [name, value] : head.point) out.member(name, json_string(value));
  out.close('}');
}

void write_options(Writer& out, const RunSummary& run) {
  out.key("options");
  out.open('{');
  for (const auto& [name, value] : run.options) out.member(name, json_string(value));
  out.close('}');
}

/// "[[16, 8, "a100", 4], …]", on one line.
std::string node_runs_json(const SiteSummary& site) {
  std::string text;
  for (const NodeRun& run : site.node_runs)
    text += fmt::format("{}[{}, {}, {}, {}]", text.empty() ? "" : ", ", run.nodes, run.gpus,
                        json_string(run.type), run.per_rack);
  return "[" + text + "]";
}

void write_sites(Writer& out, const RunSummary& run) {
  out.key("sites");
  out.open('[');
  for (const SiteSummary& site : run.sites) {
    out.element();
    out.open('{');
    out.member("name", json_string(site.name));
    for (const auto& m : site_measures()) out.member(m.name, number(site.*m.value));
    if (!site.carbon_kind.empty()) out.member("carbon_kind", json_string(site.carbon_kind));
    if (site.first_gpu) out.member("first_gpu", fmt::format("{}", *site.first_gpu));
    if (!site.node_runs.empty()) out.member("node_gpus", node_runs_json(site));
    out.close('}');
  }
  out.close(']');
}

void write_run(Writer& out, const RunSummary& run) {
  out.element();
  out.open('{');
  out.member("policy", json_string(run.policy));
  write_options(out, run);
  if (run.dir) out.member("dir", json_string(*run.dir));
  out.member("time_origin", run.time_origin ? json_string(format_time(*run.time_origin)) : "null");
  for (const auto& m : run_measures())
    if (!m.measured) out.member(m.name, number(run.*m.value));
  write_sites(out, run);
  for (const auto& m : run_measures())
    if (m.measured) out.member(m.name, number(run.*m.value));
  out.close('}');
}

}  // namespace

std::string json_string(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string summary_json(const SummaryHead& head, std::span<const RunSummary> runs) {
  Writer out;
  out.open('{');
  out.member("version", json_string(head.version));
  out.member("scenario", json_string(head.scenario));
  out.member("scenario_hash", json_string(head.scenario_hash));
  out.member("seed", fmt::format("{}", head.seed));
  out.member("currency", json_string(head.currency));
  if (!head.point.empty()) write_point(out, head);
  write_definitions(out);
  out.key("runs");
  out.open('[');
  for (const RunSummary& run : runs) write_run(out, run);
  out.close(']');
  out.close('}');
  return std::move(out).take();
}

// Reading

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
