#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "study/geo/geo_study.h"

namespace penstock {

/// The stretches of one workload and period: values by stretch, and their means.
class GeoScores {
 public:
  using Values = std::vector<double>;

  GeoScores(const std::vector<GeoCase>& cases, std::string workload, GeoPeriod period);

  bool empty() const { return cases_.empty(); }
  std::size_t size() const { return cases_.size(); }
  const std::string& workload() const { return workload_; }
  const std::vector<const GeoCase*>& cases() const { return cases_; }
  std::vector<std::string> methods() const;
  bool has(std::string_view method) const;

  /// NaN where a run has no such value.
  Values values(std::string_view method, RunField field) const;
  double mean(std::string_view method, RunField field) const;
  /// The simple router with the highest mean utility.
  std::string best_simple() const;

  /// utility_gain() of one method over another, by stretch.
  Values gains(std::string_view ours, std::string_view theirs) const;
  /// By stretch, the part of the way from `local` to the bound; NaN where none was computed.
  Values ways(std::string_view method) const;

  /// What a run's sites have of something, over all stretches.
  using OfSite = double(const RunSummary& run, const SiteSummary& site);
  Values by_site(std::string_view method, OfSite of_site) const;

 private:
  std::string workload_;
  std::vector<const GeoCase*> cases_;
};

/// For by_site(); cost and carbon are with those of files sent from there.
GeoScores::OfSite gpu_hours, site_cost, site_carbon;

/// One for each workload that has such stretches, in their order.
std::vector<GeoScores> all_scores(const std::vector<GeoCase>& cases, GeoPeriod period);

/// The gain in utility, relative to the distance of the other utility from 0.
double utility_gain(double ours, double theirs);
/// "+12.3 ±4.5 %": the mean and its 95 % interval; without it if there is one value only.
std::string gain_text(const GeoScores::Values& gains);

}  // namespace penstock
