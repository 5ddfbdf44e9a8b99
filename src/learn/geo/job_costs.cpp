#include "learn/geo/job_costs.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr Duration kWeek = std::chrono::hours(24 * 7);
/// Below this, a price or an intensity is as good as none.
constexpr double kLeastScale = 1e-6;

double overlap_seconds(const JobOutcome& held, Time from, Time to) {
  const Time first = std::max(held.started, from);
  const Time last = std::min(held.finished, to);
  return last > first ? seconds(last - first) : 0;
}

/// Spreads what a late job's waiting cost over those who ran meanwhile.
void charge_lateness(const JobOutcome& late, const std::vector<JobOutcome>& outcomes,
                     const std::vector<std::uint32_t>& there, double cost,
                     std::vector<double>& rewards) {
  double all = 0;
  std::vector<std::pair<std::uint32_t, double>> shares;
  for (const std::uint32_t other : there) {
    const JobOutcome& outcome = outcomes[other];
    const double held = outcome.gpus * overlap_seconds(outcome, late.arrived, late.started);
    if (held == 0 || &outcome == &late) continue;
    shares.emplace_back(other, held);
    all += held;
  }
  for (const auto& [other, held] : shares) rewards[other] -= cost * held / all;
}

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

Joules OutcomeObserver::idle_energy(const JobRecord& record) const {
  if (sleeps_ || record.where.empty()) return Joules{};
  const Node& node = cluster_.node(record.where.front().first);
  if (cluster_.has_power_table(node)) return Joules{};
  return cluster_.type(node).idle * record.gpus_mean * record.held;
}

void OutcomeObserver::ended(const JobRecord& record) {
  const SiteSignals& signals = signals_[record.site.index];
  const Time from = record.first_start;
  const Joules idle = idle_energy(record) * signals.pue.mean(from, record.finish).value();
  if (record.job.id.index >= runs_.size()) runs_.resize(record.job.id.index + 1);
  const Money money =
      record.bill.cost + record.bill.rent - idle * signals.price.mean(from, record.finish);
  const GramsCo2 carbon = record.bill.carbon - idle * signals.carbon.mean(from, record.finish);
  JobOutcome& outcome = runs_[record.job.id.index];
  outcome = {.ended = true,
             .late = record.job.deadline && record.finish > *record.job.deadline,
             .site = record.site,
             .arrived = record.job.submitted,
             .started = record.first_start,
             .finished = record.finish,
             .gpus = record.gpus_mean,
             .money = money.value(),
             .carbon = (carbon + record.sent.carbon).value(),
             .transfer = record.sent.money().value(),
             .transfer_carbon = record.sent.carbon.value()};
  const double pue = signals.pue.mean(from, record.finish).value();
  add_baseline(record, (record.bill.energy - idle) / pue, outcome);
}

void OutcomeObserver::add_baseline(const JobRecord& record, Joules machines,
                                   JobOutcome& outcome) const {
  const Time from = record.job.submitted;
  const Time to = from + record.held;
  const auto count = static_cast<double>(signals_.size());
  for (const SiteSignals& site : signals_) {
    const Joules energy = machines * (site.pue.mean(from, to).value() / count);
    outcome.baseline_money += (energy * site.price.mean(from, to)).value();
    outcome.baseline_carbon += (energy * site.carbon.mean(from, to)).value();
  }
}

std::vector<double> rewards_of(const std::vector<JobOutcome>& outcomes,
                               const UtilityWeights& weights, const JobScale& scale,
                               RewardScope scope) {
  std::vector<double> rewards(outcomes.size(), 0);
  std::vector<std::vector<std::uint32_t>> at_site;
  for (std::uint32_t i = 0; i < outcomes.size(); ++i) {
    const JobOutcome& outcome = outcomes[i];
    if (!outcome.ended) continue;
    const double money = weights.cost * outcome.money + weights.transfer * outcome.transfer;
    rewards[i] -=
        (money / scale.price + weights.carbon * outcome.carbon / scale.carbon) / scale.kwh;
    rewards[i] -= outcome.late ? weights.late : 0;
    if (outcome.site.index >= at_site.size()) at_site.resize(outcome.site.index + 1);
    at_site[outcome.site.index].push_back(i);
  }
  if (scope == RewardScope::own) return rewards;
  for (const JobOutcome& outcome : outcomes)
    if (outcome.ended && outcome.late && outcome.arrived < outcome.started)
      charge_lateness(outcome, outcomes, at_site[outcome.site.index], weights.late, rewards);
  return rewards;
}

std::vector<double> baseline_rewards(const std::vector<JobOutcome>& outcomes,
                                     const UtilityWeights& weights, const JobScale& scale) {
  std::vector<double> rewards;
  rewards.reserve(outcomes.size());
  for (const JobOutcome& outcome : outcomes)
    rewards.push_back(-(weights.cost * outcome.baseline_money / scale.price +
                        weights.carbon * outcome.baseline_carbon / scale.carbon) /
                      scale.kwh);
  return rewards;
}

}  // namespace penstock
