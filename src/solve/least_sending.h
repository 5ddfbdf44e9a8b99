#pragma once

#include <vector>

#include "solve/bounds.h"

namespace penstock {

/// What files count at least on their way from one site to another, by the gigabyte, over whatever
/// sites and whenever. Energy whose price is below 0 counts nothing here, see `earned`.
class LeastSending {
 public:
  LeastSending(const BoundedWorld& world, const Counted& counted);

  double cost(SiteId from, std::uint32_t to) const { return cost_[at(from, to)]; }
  /// Seconds by the gigabyte; endless if nothing joins the two.
  double seconds(SiteId from, std::uint32_t to) const { return seconds_[at(from, to)]; }
  /// What sending a gigabyte once may earn where the price of power is below 0: 0 or more.
  double earned() const { return earned_; }

 private:
  std::size_t at(SiteId from, std::uint32_t to) const { return from.index * sites_ + to; }
  void add(bool stays, const Link& link, double cost);
  void shorten(std::vector<double>& ways) const;

  std::size_t sites_;
  std::vector<double> cost_;     ///< from row to column
  std::vector<double> seconds_;  ///< the same
  double earned_ = 0;
};

}  // namespace penstock
