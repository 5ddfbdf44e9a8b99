#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock {

/// No site, or any: of a job whose files are wherever it starts.
inline constexpr SiteId kNoSite{~0u};

/// How files get from one site to another.
struct Link {
  double megabits_per_second = 0;  ///< 0: they cannot
  Duration round_trip{};
  Money per_gigabyte{};
  friend bool operator==(const Link&, const Link&) = default;
};

/// What joins the sites of a cluster. Without links no job has a home, and each may start anywhere.
struct Network {
  std::uint32_t sites = 0;
  std::vector<Link> links{};     ///< from `row` to `column`, row by row; empty if there are none
  Joules energy_per_gigabyte{};  ///< used at the site that sends

  bool empty() const { return links.empty(); }
  const Link& link(SiteId from, SiteId to) const {
    PENSTOCK_CHECK(from.index < sites && to.index < sites);
    return links[static_cast<std::size_t>(from.index) * sites + to.index];
  }
  bool joins(SiteId from, SiteId to) const {
    return from == to || link(from, to).megabits_per_second > 0;
  }
  /// Until files are there. The two must be joined.
  Duration delay(SiteId from, SiteId to, double gigabytes) const {
    if (from == to) return Duration::zero();
    const Link& way = link(from, to);
    return ceil_duration(8000 * gigabytes / way.megabits_per_second) + way.round_trip;
  }
  Money fee(SiteId from, SiteId to, double gigabytes) const {
    return from == to ? Money{} : link(from, to).per_gigabyte * gigabytes;
  }
};

/// What sending files has used up, where they were sent from. Its energy is that of the network,
/// without PUE.
struct TransferBill {
  std::uint32_t count = 0;
  double gigabytes = 0;
  Joules energy{};
  Money cost{};  ///< of the energy
  GramsCo2 carbon{};
  Money fee{};  ///< by the gigabyte

  Money money() const { return cost + fee; }
  TransferBill& operator+=(const TransferBill& other) {
    count += other.count;
    gigabytes += other.gigabytes;
    energy += other.energy;
    cost += other.cost;
    carbon += other.carbon;
    fee += other.fee;
    return *this;
  }
  friend bool operator==(const TransferBill&, const TransferBill&) = default;
};

}  // namespace penstock
