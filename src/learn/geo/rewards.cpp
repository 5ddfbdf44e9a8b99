#include "learn/geo/rewards.h"

#include <algorithm>

namespace penstock {
namespace {

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
    const JobOutcome& fate = outcomes[other];
    const double held = fate.gpus * overlap_seconds(fate, late.arrived, late.started);
    if (held == 0 || &fate == &late) continue;
    shares.emplace_back(other, held);
    all += held;
  }
  for (const auto& [other, held] : shares) rewards[other] -= cost * held / all;
}

}  // namespace

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
  JobOutcome& fate = runs_[record.job.id.index];
  fate = {.ended = true,
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
  add_baseline(record, (record.bill.energy - idle) / pue, fate);
}

void OutcomeObserver::add_baseline(const JobRecord& record, Joules machines,
                                   JobOutcome& fate) const {
  const Time from = record.job.submitted;
  const Time to = from + record.held;
  const auto count = static_cast<double>(signals_.size());
  for (const SiteSignals& site : signals_) {
    const Joules energy = machines * (site.pue.mean(from, to).value() / count);
    fate.baseline_money += (energy * site.price.mean(from, to)).value();
    fate.baseline_carbon += (energy * site.carbon.mean(from, to)).value();
  }
}

std::vector<double> rewards_of(const std::vector<JobOutcome>& outcomes,
                               const UtilityWeights& weights, const JobScale& scale,
                               RewardScope answer) {
  std::vector<double> rewards(outcomes.size(), 0);
  std::vector<std::vector<std::uint32_t>> at_site;
  for (std::uint32_t i = 0; i < outcomes.size(); ++i) {
    const JobOutcome& fate = outcomes[i];
    if (!fate.ended) continue;
    const double money = weights.cost * fate.money + weights.transfer * fate.transfer;
    rewards[i] -= (money / scale.price + weights.carbon * fate.carbon / scale.carbon) / scale.kwh;
    rewards[i] -= fate.late ? weights.late : 0;
    if (fate.site.index >= at_site.size()) at_site.resize(fate.site.index + 1);
    at_site[fate.site.index].push_back(i);
  }
  if (answer == RewardScope::own) return rewards;
  for (const JobOutcome& fate : outcomes)
    if (fate.ended && fate.late && fate.arrived < fate.started)
      charge_lateness(fate, outcomes, at_site[fate.site.index], weights.late, rewards);
  return rewards;
}

std::vector<double> baseline_rewards(const std::vector<JobOutcome>& outcomes,
                                     const UtilityWeights& weights, const JobScale& scale) {
  std::vector<double> rewards;
  rewards.reserve(outcomes.size());
  for (const JobOutcome& fate : outcomes)
    rewards.push_back(-(weights.cost * fate.baseline_money / scale.price +
                        weights.carbon * fate.baseline_carbon / scale.carbon) /
                      scale.kwh);
  return rewards;
}

}  // namespace penstock
