#pragma once

#include <array>
#include <map>

#include "policy/geo/mpc_program.h"

namespace penstock {

/// What comes at which hour of the day, as in the days before.
class MpcArrivals {
 public:
  /// A job has come; `demands` are by possible site.
  void saw(Time now, std::span<const Demand> demands);
  /// Adds a group for each of these steps but the first, as the past lets expect.
  void foretell(const Steps& steps, Time now, std::vector<MpcGroup>& groups) const;

 private:
  static constexpr std::size_t kHours = 24;
  /// Jobs that could run at the same sites.
  struct Kind {
    std::array<MpcGroup, kHours> by_hour{};  ///< all that came; `latest` is from their coming on
  };

  double days_with_hour(Time ahead, Time now) const;

  Time first_{};
  bool any_ = false;
  std::map<std::vector<SiteId>, Kind> kinds_;
};

}  // namespace penstock
