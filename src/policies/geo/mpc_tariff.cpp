#include "policies/geo/mpc_tariff.h"

#include <algorithm>
#include <cmath>

#include "policies/geo/waiting_router.h"

namespace penstock {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kWattsPerKilowatt = 1e3;

double hours(Duration d) {
  return seconds(d) / kSecondsPerHour;
}

/// What a mean stands for when there is none: the term then counts nothing.
double per(double weight, double mean) {
  return mean > 0 ? weight / mean : 0;
}

}  // namespace

MpcTariff::MpcTariff(const Cluster& cluster, const Costs& costs, const MpcWeights& weights,
                     double slack)
    : cluster_(cluster), weights_(weights), slack_(slack), waking_(cluster.sites.size(), 0.0) {
  for (const Node& node : cluster.nodes) {
    const GpuType& type = cluster.type(node);
    idle_kilowatts_ += (node.base + type.idle * node.gpus).value() / kWattsPerKilowatt;
    if (!costs.sleep_after) continue;
    const Watts saved = node.base - node.base_sleep + (type.idle - type.sleep) * node.gpus;
    waking_[node.site.index] +=
        std::max(0.0, saved.value()) / kWattsPerKilowatt / cluster.sites[node.site.index].gpus;
  }
}

void MpcTariff::refresh(const RouterView& view, const Steps& steps) {
  origin_ = steps.begin;
  const std::size_t sites = cluster_.sites.size();
  std::vector<std::vector<double>> prices(sites);
  std::vector<std::vector<double>> grams(sites);
  double price = 0;
  double carbon = 0;
  for (std::uint32_t s = 0; s < sites; ++s) {
    const auto money = view.outlook.price(SiteId{s});
    const auto grid = view.outlook.carbon(SiteId{s});
    const double pue = view.outlook.pue(SiteId{s}).value();
    const double part = static_cast<double>(cluster_.sites[s].gpus) / cluster_.gpu_count();
    for (std::uint32_t i = 0; i < steps.count; ++i) {
      const Time until = steps.begin + (i + 1) * steps.length;
      const Time from = std::min(until, std::max(view.now, steps.begin + i * steps.length));
      prices[s].push_back(pue * money.mean(from, until).value());
      grams[s].push_back(pue * grid.mean(from, until).value());
      price += part * std::abs(prices[s].back()) / steps.count;
      carbon += part * grams[s].back() / steps.count;
    }
  }
  ++refreshed_;
  price_sum_ += price;
  carbon_sum_ += carbon;
  rates_.clear();
  for (std::size_t s = 0; s < sites; ++s) {
    double sum = 0;
    for (std::size_t i = 0; i < prices[s].size(); ++i) {
      prices[s][i] = prices[s][i] * per(weights_.price, price_sum_ / refreshed_) +
                     grams[s][i] * per(weights_.carbon, carbon_sum_ / refreshed_);
      sum += prices[s][i];
    }
    rates_.emplace_back(hours(steps.length), prices[s], sum / steps.count);
  }
}

std::optional<MpcDemand> MpcTariff::demand(const JobState& job, SiteId site,
                                           const RouterView& view) const {
  const auto stay = stay_at(job, site, cluster_, view.models);
  if (!stay) return std::nullopt;
  return MpcDemand{
      .site = site,
      .delay = hours(stay->delay),
      .run = hours(stay->run),
      .latest = hours(latest_departure(job, *stay, slack_) + stay->delay - origin_),
      .kilowatts = stay->draw.value() / kWattsPerKilowatt + waking_[site.index] * job.job.gpus,
      .transfer = sending(job, site, stay->gigabytes, view),
      .gpus = static_cast<double>(job.job.gpus)};
}

/// Fees and energy in money by the weight of transfers, and the carbon of the energy.
double MpcTariff::sending(const JobState& job, SiteId to, double gigabytes,
                          const RouterView& view) const {
  if (gigabytes <= 0) return 0;
  const Joules energy = cluster_.network.energy_per_gigabyte * gigabytes;
  const Money money = cluster_.network.fee(job.at, to, gigabytes) +
                      energy * view.outlook.price(job.at).at(view.now);
  const GramsCo2 grams = energy * view.outlook.carbon(job.at).at(view.now);
  return std::max(0.0, money.value() * per(weights_.transfer, price_sum_ / refreshed_)) +
         grams.value() * per(weights_.carbon, carbon_sum_ / refreshed_);
}

void MpcTariff::learn(const MpcDemand& demand, Time now) {
  if (jobs_ == 0) first_ = now;
  last_ = now;
  ++jobs_;
  job_kwh_ += demand.kilowatts * demand.run;
}

double MpcTariff::usual_job() const {
  if (jobs_ == 0) return 0;
  return (idle_kilowatts_ * hours(last_ - first_) + job_kwh_) / jobs_ *
         (weights_.price + weights_.carbon);
}

}  // namespace penstock
