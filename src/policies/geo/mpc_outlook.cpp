#include "policies/geo/mpc_outlook.h"

#include <algorithm>
#include <cmath>

#include "policies/geo/routers.h"

namespace penstock {
namespace {

constexpr double kWattsPerKilowatt = 1e3;

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
    rates_.emplace_back(hours_of(steps.length), prices[s], sum / steps.count);
  }
}

std::optional<MpcDemand> MpcTariff::demand(const JobState& job, SiteId site,
                                           const RouterView& view) const {
  const auto stay = stay_at(job, site, cluster_, view.models);
  if (!stay) return std::nullopt;
  return MpcDemand{
      .site = site,
      .delay = hours_of(stay->delay),
      .run = hours_of(stay->run),
      .latest = hours_of(latest_departure(job, *stay, slack_) + stay->delay - origin_),
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
  return (idle_kilowatts_ * hours_of(last_ - first_) + job_kwh_) / jobs_ *
         (weights_.price + weights_.carbon);
}

namespace {

/// GPU-hours that jobs at a site wait for, without those whose files are not there yet.
double queued_gpu_hours(const SiteNews& news, std::uint32_t site,
                        std::span<const MpcComing> coming) {
  double queue = news.waiting_gpu_hours;
  for (const MpcComing& job : coming)
    if (job.demand.site.index == site) queue -= job.demand.gpus * job.demand.run;
  return std::max(0.0, queue);
}

}  // namespace

void MpcRoom::refresh(const RouterView& view, const Steps& steps,
                      std::span<const MpcComing> coming) {
  step_ = seconds(steps.length) / 3600;
  const double rest = seconds(steps.begin + steps.length - view.now) / 3600;  // of the first step
  free_.assign(view.sites.size(), std::vector<double>(steps.count, 0.0));
  for (std::uint32_t s = 0; s < view.sites.size(); ++s) {
    const SiteNews& news = view.sites[s];
    std::vector<double> held(steps.count, 0.0);
    if (view.held_ahead) held = view.held_ahead(SiteId{s}, steps);
    double queue = queued_gpu_hours(news, s, coming);
    for (std::uint32_t i = 0; i < steps.count; ++i) {
      const double ahead = i == 0 ? rest : step_;
      const double open = std::max(0.0, news.gpus - held[i]);
      const double taken = std::min(open, queue / ahead);
      queue -= taken * ahead;
      free_[s][i] = open - taken;
    }
  }
  for (const MpcComing& job : coming)
    book(job.demand, std::max(0.0, seconds(job.there - steps.begin) / 3600));
}

bool MpcRoom::fits(const MpcDemand& demand, double start, bool skips_first) const {
  const std::vector<double>& free = free_[demand.site.index];
  const double end = start + demand.run;
  for (auto i = static_cast<std::size_t>(start / step_) + (skips_first ? 1 : 0);
       i < free.size() && step_ * static_cast<double>(i) < end; ++i) {
    const double from = std::max(start, step_ * static_cast<double>(i));
    const double part = (std::min(end, step_ * static_cast<double>(i + 1)) - from) / step_;
    if (free[i] < demand.gpus * std::min(1.0, part)) return false;
  }
  return true;
}

void MpcRoom::book(const MpcDemand& demand, double start) {
  change(demand, start, -1);
}

void MpcRoom::release(const MpcDemand& demand, double start) {
  change(demand, start, 1);
}

void MpcRoom::change(const MpcDemand& demand, double start, double sign) {
  std::vector<double>& free = free_[demand.site.index];
  const double end = start + demand.run;
  for (auto i = static_cast<std::size_t>(start / step_);
       i < free.size() && step_ * static_cast<double>(i) < end; ++i) {
    const double from = std::max(start, step_ * static_cast<double>(i));
    const double until = std::min(end, step_ * static_cast<double>(i + 1));
    free[i] += sign * demand.gpus * (until - from) / step_;
  }
}

}  // namespace penstock
