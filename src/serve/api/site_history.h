#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "io/scenario/scenario.h"
#include "model/forecast.h"

namespace penstock {

/// The figures of a site at one instant.
struct SiteSample {
  Watts power{};  ///< cooling included
  std::uint64_t busy_gpus = 0;
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
};

/// The latest samples of all sites, one for each step of time: a day by minutes; older ones are
/// dropped. For one thread.
class SiteHistory {
 public:
  struct Length {
    Duration every = std::chrono::minutes(1);
    std::size_t most = 1440;
  };
  SiteHistory() : SiteHistory(Length{}) {}
  explicit SiteHistory(Length length) : length_(length) {}

  /// A sample for each site, always as many. The first of a step of time stays; steps without a
  /// sample are gaps. When the clock goes back, later samples are dropped.
  void add(Time now, std::span<const SiteSample> sites);

  /// {"every_s", "from", "sites": [{"name", "power_w": [...], ...}]}; gaps are null. `names` are
  /// those of the sites, in their order.
  nlohmann::ordered_json as_json(std::span<const std::string> names) const;

 private:
  using Step = std::optional<std::vector<SiteSample>>;
  std::int64_t step_of(Time now) const { return now.time_since_epoch() / length_.every; }

  Length length_;
  std::deque<Step> steps_;
  std::int64_t last_ = 0;  ///< the number of the last one, if there is any
};

/// The present forecasts of a site's price and carbon for the next two days, by quarters of an
/// hour: [{"from", "price", "carbon_g_per_kwh"}], each until the next. Those that change nothing
/// are left out.
nlohmann::ordered_json forecast_json(const Outlook& outlook, SiteId site, Time now);

/// Where the forecasts end and the last known day is taken to repeat; null if they do not within
/// these two days.
nlohmann::ordered_json forecast_end_json(const Outlook& outlook, SiteId site, Time now);

/// The mean power that a policy's energy budget allows over its window; nothing if it has no
/// budget, or one for the whole run.
std::optional<Watts> budget_power(const PolicyChoice& policy);

/// A condition that holds or not, and since when.
class StatusSince {
 public:
  void update(bool well, Time now) {
    if (since_ && well == well_) return;
    well_ = well;
    since_ = now;
  }
  /// Nothing before its first update.
  const std::optional<Time>& since() const { return since_; }

 private:
  bool well_ = false;
  std::optional<Time> since_;
};

}  // namespace penstock
