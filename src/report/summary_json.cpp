#include "report/summary_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/measures.h"

namespace penstock {
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

}  // namespace penstock
