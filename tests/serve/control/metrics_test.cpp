#include "serve/control/metrics.h"

#include <gtest/gtest.h>

#include <limits>

namespace penstock {
namespace {

TEST(DaemonMetrics, writes_what_prometheus_reads) {
  DaemonMetrics metrics;
  metrics.declare("b", MetricKind::gauge, "of\nlines \\");
  metrics.declare("a_total", MetricKind::counter, "counts");
  metrics.set("b", {{"site", "we\"st\\\n"}}, 1.5);
  metrics.set("b", {{"site", "east"}}, -std::numeric_limits<double>::infinity());
  metrics.add("a_total", {});
  metrics.add("a_total", {}, 2);
  EXPECT_EQ(metrics.text(),
            "# HELP a_total counts\n# TYPE a_total counter\na_total 3\n"
            "# HELP b of\\nlines \\\\\n# TYPE b gauge\n"
            "b{site=\"east\"} -Inf\nb{site=\"we\\\"st\\\\\\n\"} 1.5\n");
}

TEST(DaemonMetrics, counts_into_buckets_that_hold_the_smaller_ones) {
  DaemonMetrics metrics;
  metrics.declare("s", MetricKind::histogram, "h", {0.1, 1});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) metrics.observe("s", {{"x", "y"}}, value);
  EXPECT_EQ(metrics.text(),
            "# HELP s h\n# TYPE s histogram\n"
            "s_bucket{x=\"y\",le=\"0.1\"} 2\ns_bucket{x=\"y\",le=\"1\"} 3\n"
            "s_bucket{x=\"y\",le=\"+Inf\"} 4\ns_sum{x=\"y\"} 7.65\ns_count{x=\"y\"} 4\n");
}

TEST(DaemonMetrics, declares_what_the_daemon_tells) {
  DaemonMetrics metrics;
  declare_daemon_metrics(metrics);
  metrics.observe("penstock_decision_seconds", {}, 0.02);
  const std::string text = metrics.text();
  for (const char* name : {"penstock_site_power_watts", "penstock_energy_joules_total",
                           "penstock_cost_total", "penstock_carbon_grams_total", "penstock_jobs",
                           "penstock_decision_seconds", "penstock_backend_errors_total"})
    EXPECT_NE(text.find("# TYPE " + std::string(name) + " "), std::string::npos) << name;
  EXPECT_NE(text.find("penstock_decision_seconds_bucket{le=\"0.025\"} 1\n"), std::string::npos);
}

}  // namespace
}  // namespace penstock
