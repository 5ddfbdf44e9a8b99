#include "learn/geo/cost_estimator.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr Duration kWeek = std::chrono::hours(24 * 7);
/// Below this, a price or an intensity is as good as none.
constexpr double kLeastScale = 1e-6;

}  // namespace

void CostEstimator::look(const RouterView& view) {
  sites_.clear();
  network_ = &view.state.cluster().network;
  now_ = view.now;
  scale_ = given_;
  double price = 0;
  double carbon = 0;
  for (std::uint32_t i = 0; i < view.sites.size(); ++i) {
    const SiteId site{i};
    sites_.push_back({.price = view.outlook.price(site),
                      .carbon = view.outlook.carbon(site),
                      .pue = view.outlook.pue(site).value()});
    if (given_.price == 0) price += sites_[i].price_over(now_ - kWeek, now_);
    if (given_.carbon == 0) carbon += sites_[i].carbon_over(now_ - kWeek, now_);
  }
  const auto count = static_cast<double>(view.sites.size());
  if (given_.price == 0) scale_.price = price / count;
  if (given_.carbon == 0) scale_.carbon = carbon / count;
  scale_.price = std::max(scale_.price, kLeastScale);
  scale_.carbon = std::max(scale_.carbon, kLeastScale);
}

double CostEstimator::size(const Stay& stay) const {
  return kilowatt_hours(stay.draw * stay.run) / scale_.kwh;
}

double CostEstimator::transfer(const JobState& job, SiteId site, const Stay& stay) const {
  if (!transfers_ || stay.gigabytes == 0) return 0;
  const SitePrices& sender = sites_[job.at.index];
  const double kwh = kilowatt_hours(network_->energy_per_gigabyte * stay.gigabytes);
  const double money =
      kwh * sender.price.at(now_).value() + network_->fee(job.at, site, stay.gigabytes).value();
  const double grams = kwh * sender.carbon.at(now_).value();
  return (weights_.transfer * money / scale_.price + weights_.carbon * grams / scale_.carbon) /
         scale_.kwh;
}

double CostEstimator::cost(const JobState& job, SiteId site, const Stay& stay, Time leaves) const {
  const Time starts = leaves + stay.delay;
  const Time ends = starts + stay.run;
  const SitePrices& there = sites_[site.index];
  const double a_kwh = weights_.cost * there.price_over(starts, ends) / scale_.price +
                       weights_.carbon * there.carbon_over(starts, ends) / scale_.carbon;
  return size(stay) * a_kwh + transfer(job, site, stay);
}

}  // namespace penstock
