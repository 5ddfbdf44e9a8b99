#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/time.h"
#include "model/cluster.h"
#include "model/trace.h"

namespace penstock {

/// How jobs get a home, files to move and a deadline, where the trace does not contain them.
struct OriginSpec {
  struct Place {
    double weight = 0;
    LocalClock clock{};
  };
  /// The time from submission to the deadline, relative to the requested time, and how often it is
  /// drawn relative to the others.
  struct Slack {
    double factor = 1;
    double weight = 1;
  };

  std::vector<Place> sites{};  ///< indexed by SiteId
  bool by_hour = false;        ///< jobs come from where people are at work
  double files_gb = 0;         ///< the median
  double files_sigma = 0;      ///< of the logarithm
  double checkpoint_gb = 0;
  double checkpoint_gb_per_gpu = 0;
  std::optional<std::pair<double, double>> slack_range{};
  std::vector<Slack> slacks{};  ///< instead of a range
  std::uint64_t seed = 0;
  /// Number of the trace's jobs before the first: numbers of jobs count from there, so the origin
  /// of a job does not depend on how many are left out.
  std::uint64_t skip = 0;
};

/// How busy people are at an hour of their day, 0 to 24: 1 from 9 to 18, a quarter from 22 to 6,
/// and straight lines between. Our choice.
double office_hours(double hour);

/// Gives jobs their origin. What a job draws depends on its own number, hour and size only.
class Origins {
 public:
  Origins(const OriginSpec& spec, const Cluster& cluster);

  /// To be called once its GPU types are known. A home is drawn among the sites that have the
  /// machines it asks for; without such a site the job gets no home. A deadline of its own is kept.
  void give(TracedJob& traced) const;

 private:
  SiteId draw_home(const Job& job, Rng& rng) const;
  bool could_run(const Job& job, std::uint32_t site) const;
  double draw_slack(Rng& rng) const;

  OriginSpec spec_;
  Rng rng_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> gpus_;  ///< whole ones by site and type
};

/// Jobs of another source, with their origin.
class OriginSource final : public JobSource {
 public:
  OriginSource(std::unique_ptr<JobSource> inner, const Origins& origins)
      : inner_(std::move(inner)), origins_(origins) {}
  std::optional<TracedJob> next() override {
    auto traced = inner_->next();
    if (traced) origins_.give(*traced);
    return traced;
  }

 private:
  std::unique_ptr<JobSource> inner_;
  const Origins& origins_;
};

}  // namespace penstock
