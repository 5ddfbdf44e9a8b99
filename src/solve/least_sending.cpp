#include "solve/least_sending.h"

#include <algorithm>
#include <limits>

namespace penstock {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kMegabitsPerGigabyte = 8000;

template <class Q>
double least_of(const Signal<Q>& signal) {
  double least = kEndless;
  for (const auto& step : signal.steps()) least = std::min(least, step.value.value());
  return least;
}

}  // namespace

LeastSending::LeastSending(const BoundedWorld& world, const Counted& counted)
    : sites_(world.cluster.sites.size()) {
  const Network& network = world.cluster.network;
  if (network.empty()) return;
  const double kwh = network.energy_per_gigabyte.value() / kJoulesPerKwh;
  for (std::uint32_t from = 0; from < sites_; ++from) {
    const double price = least_of(world.signals[from].price);
    const double grams = least_of(world.signals[from].carbon);
    const double energy = kwh * (counted.joule * kJoulesPerKwh + counted.gram * grams +
                                 counted.transfer * std::max(0.0, price));
    earned_ = std::max(earned_, -kwh * counted.transfer * std::min(0.0, price));
    for (std::uint32_t to = 0; to < sites_; ++to) {
      const Link& link = network.link(SiteId{from}, SiteId{to});
      const double fee = counted.transfer * link.per_gigabyte.value();
      add(from == to, link, fee + energy);
    }
  }
  shorten(cost_);
  shorten(seconds_);
}

void LeastSending::add(bool stays, const Link& link, double cost) {
  const bool joined = link.megabits_per_second > 0;
  const double time = joined ? kMegabitsPerGigabyte / link.megabits_per_second : kEndless;
  cost_.push_back(stays ? 0 : joined ? cost : kEndless);
  seconds_.push_back(stays ? 0 : time);
}

/// By way of others, where that is less.
void LeastSending::shorten(std::vector<double>& ways) const {
  for (std::size_t over = 0; over < sites_; ++over)
    for (std::size_t from = 0; from < sites_; ++from)
      for (std::size_t to = 0; to < sites_; ++to) {
        double& way = ways[from * sites_ + to];
        way = std::min(way, ways[from * sites_ + over] + ways[over * sites_ + to]);
      }
}

}  // namespace penstock
