#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

enum class MetricKind : std::uint8_t { counter, gauge, histogram };

/// Names and values: {{"site", "east"}}.
using MetricLabels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// Metrics for Prometheus. Any thread may call any function at any time. A metric must be declared
/// before it is set.
class DaemonMetrics {
 public:
  /// `bounds`, of a histogram only: upper ends of its buckets, ascending, without the infinite one.
  void declare(std::string_view name, MetricKind kind, std::string_view help,
               std::vector<double> bounds = {});

  /// Of a gauge, or the present total of a counter that is kept elsewhere.
  void set(std::string_view name, MetricLabels labels, double value);
  /// To a counter or a gauge.
  void add(std::string_view name, MetricLabels labels, double value = 1);
  /// Into a histogram.
  void observe(std::string_view name, MetricLabels labels, double value);

  /// The text format of Prometheus, sorted by name and labels.
  std::string text() const;

 private:
  struct Series {
    double value = 0;                      ///< the sum, of a histogram
    std::vector<std::uint64_t> buckets{};  ///< of a histogram: one more than bounds
  };
  struct Family {
    MetricKind kind = MetricKind::gauge;
    std::string help{};
    std::vector<double> bounds{};
    std::map<std::string, Series, std::less<>> series{};  ///< by labels as they are printed
  };
  static void write_histogram(std::string& out, const std::string& name, const Family& family);
  Series& series_of(std::string_view name, MetricLabels labels);
  Family& family_of(std::string_view name);

  mutable std::mutex mutex_;
  std::map<std::string, Family, std::less<>> families_;
};

/// Declares the metrics of the daemon: penstock_site_power_watts{site},
/// penstock_energy_joules_total{site}, penstock_cost_total{site,currency},
/// penstock_carbon_grams_total{site}, penstock_jobs{state}, penstock_decision_seconds and
/// penstock_backend_errors_total{site}.
void declare_daemon_metrics(DaemonMetrics& metrics);

}  // namespace penstock
