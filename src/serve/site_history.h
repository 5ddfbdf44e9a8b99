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

namespace penstock {

/// What a site did at one moment.
struct SiteSample {
  Watts power{};  ///< cooling included
  std::uint64_t busy_gpus = 0;
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
};

/// What all sites did lately, one sample for each step of time, the oldest forgotten: a day by
/// minutes. For one thread.
class SiteHistory {
 public:
  struct Length {
    Duration every = std::chrono::minutes(1);
    std::size_t most = 1440;
  };
  SiteHistory() : SiteHistory(Length{}) {}
  explicit SiteHistory(Length length) : length_(length) {}

  /// A sample for each site, always as many. The first of a step of time stays; steps in which
  /// nothing was told are gaps. When the clock goes back, what was told of later is forgotten.
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

}  // namespace penstock
