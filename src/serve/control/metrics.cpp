#include "serve/control/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace penstock {
namespace {

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || (c == '"' && quotes)) out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

/// `site="east"`, without braces.
std::string printed(MetricLabels labels) {
  std::string out;
  for (const auto& [name, value] : labels)
    out += fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", name, escaped(value, true));
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string in_braces(const std::string& labels) {
  return labels.empty() ? "" : "{" + labels + "}";
}

constexpr std::string_view name_of(MetricKind kind) {
  constexpr std::array<std::string_view, 3> kNames{"counter", "gauge", "histogram"};
  return kNames.at(static_cast<std::size_t>(kind));
}

}  // namespace

void DaemonMetrics::declare(std::string_view name, MetricKind kind, std::string_view help,
                            std::vector<double> bounds) {
  const std::lock_guard lock(mutex_);
  PENSTOCK_CHECK(std::ranges::is_sorted(bounds));
  families_.insert_or_assign(std::string(name),
                             Family{kind, std::string(help), std::move(bounds), {}});
}

DaemonMetrics::Family& DaemonMetrics::family_of(std::string_view name) {
  const auto found = families_.find(name);
  PENSTOCK_CHECK(found != families_.end());
  return found->second;
}

DaemonMetrics::Series& DaemonMetrics::series_of(std::string_view name, MetricLabels labels) {
  Family& family = family_of(name);
  Series& series = family.series[printed(labels)];
  if (family.kind == MetricKind::histogram) series.buckets.resize(family.bounds.size() + 1);
  return series;
}

void DaemonMetrics::set(std::string_view name, MetricLabels labels, double value) {
  const std::lock_guard lock(mutex_);
  series_of(name, labels).value = value;
}

void DaemonMetrics::add(std::string_view name, MetricLabels labels, double value) {
  const std::lock_guard lock(mutex_);
  series_of(name, labels).value += value;
}

void DaemonMetrics::observe(std::string_view name, MetricLabels labels, double value) {
  const std::lock_guard lock(mutex_);
  const std::vector<double>& bounds = family_of(name).bounds;
  Series& series = series_of(name, labels);
  PENSTOCK_CHECK(!series.buckets.empty());
  const auto place = std::ranges::lower_bound(bounds, value) - bounds.begin();
  ++series.buckets[static_cast<std::size_t>(place)];
  series.value += value;
}

void DaemonMetrics::write_histogram(std::string& out, const std::string& name,
                                    const Family& family) {
  for (const auto& [labels, series] : family.series) {
    const std::string before = labels.empty() ? "" : labels + ",";
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < series.buckets.size(); ++i) {
      so_far += series.buckets[i];
      const std::string bound = i < family.bounds.size() ? number(family.bounds[i]) : "+Inf";
      out += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, before, bound, so_far);
    }
    out += fmt::format("{0}_sum{1} {2}\n{0}_count{1} {3}\n", name, in_braces(labels),
                       number(series.value), so_far);
  }
}

std::string DaemonMetrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, escaped(family.help, false),
                       name_of(family.kind));
    if (family.kind == MetricKind::histogram) {
      write_histogram(out, name, family);
      continue;
    }
    for (const auto& [labels, series] : family.series)
      out += fmt::format("{}{} {}\n", name, in_braces(labels), number(series.value));
  }
  return out;
}

void declare_daemon_metrics(DaemonMetrics& metrics) {
  using enum MetricKind;
  metrics.declare("penstock_site_power_watts", gauge, "Draw of a site at present.");
  metrics.declare("penstock_energy_joules_total", counter, "Energy since the daemon began.");
  metrics.declare("penstock_cost_total", counter,
                  "Money spent since the daemon began, in the currency of the label.");
  metrics.declare("penstock_carbon_grams_total", counter, "CO2 emitted since the daemon began.");
  metrics.declare("penstock_jobs", gauge, "Jobs by state.");
  metrics.declare("penstock_decision_seconds", histogram,
                  "From an event to the requests it led to.",
                  {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});
  metrics.declare("penstock_backend_errors_total", counter,
                  "Requests that a backend did not answer.");
}

}  // namespace penstock
