#include "engine/ledger.h"

#include <utility>

#include "base/check.h"

namespace penstock {
namespace {

/// What is paid for a node that no job is on.
MoneyRate unused_rent(const Cluster& cluster, const Node& node, NodePhase phase) {
  const NodeTables* tables = cluster.tables(node);
  const bool paid = phase == NodePhase::awake && tables != nullptr && !tables->rent.empty();
  return paid ? tables->rent.front() : MoneyRate{};
}

}  // namespace

Ledger::Ledger(const Cluster& cluster, std::span<const SiteSignals> signals, Time start)
    : cluster_(cluster), now_(start) {
  PENSTOCK_CHECK(signals.size() == cluster.sites.size());
  sites_.reserve(signals.size());
  for (const SiteSignals& site : signals) {
    Tariff tariff(site, start);
    const Tariff::Reading first = tariff.read(start);
    sites_.push_back({.tariff = std::move(tariff), .now = first, .settled = first});
  }
  for (const Node& node : cluster.nodes) {
    const NodeDraw draw = idle_draw(cluster, node, NodePhase::awake);
    SiteAccount& site = sites_[node.site.index];
    site.idle += {.power = draw.gpus};
    site.overhead += {.power = draw.node, .rent = unused_rent(cluster, node, NodePhase::awake)};
  }
  if (!cluster.node_tables.empty()) meters_.resize(cluster.nodes.size());
}

void Ledger::advance(Time now) {
  PENSTOCK_CHECK(now >= now_);
  if (now == now_) return;
  now_ = now;
  for (SiteAccount& site : sites_) site.now = site.tariff.read(now);
}

void Ledger::follow(std::span<const SiteSignals> signals) {
  PENSTOCK_CHECK(signals.size() == sites_.size());
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    sites_[i].tariff.follow(signals[i], now_);
    sites_[i].now = sites_[i].tariff.read(now_);
  }
}

std::uint32_t Ledger::own_gpus(const Placement& where) const {
  if (meters_.empty()) return gpu_count(where);
  std::uint32_t own = 0;
  for (const GpuRange& range : where)
    if (!cluster_.has_power_table(cluster_.node(range.first))) own += range.count;
  return own;
}

Watts Ledger::own_draw(const JobState& job, Watts draw) const {
  const std::uint32_t own = own_gpus(job.where);
  const std::uint32_t all = gpu_count(job.where);
  return own == all ? draw : draw / all * own;
}

Watts Ledger::idle_of(const JobState& job) const {
  return cluster_.type(cluster_.node(job.where.front().first)).idle * own_gpus(job.where);
}

void Ledger::job_started(const JobState& job, Watts draw) {
  const SiteId id = cluster_.node(job.where.front().first).site;
  SiteAccount& site = sites_[id.index];
  settle(site);
  JobAccount* account = jobs_.find(job.job.id.index);
  if (account == nullptr) account = &jobs_.insert(job.job.id.index, {});
  account->draw = own_draw(job, draw);
  account->since = site.now;
  account->site = id;
  site.idle -= {.power = idle_of(job)};
  site.jobs += {.power = account->draw};
  if (meters_.empty()) return;
  account->meters = read_meters(job.where);
  hold(job.where);
}

Ledger::SiteAccount& Ledger::bill(const JobState& job, JobAccount& account) {
  SiteAccount& site = sites_[account.site.index];
  const auto add = [&](const Bill& part) {
    account.bill += part;
    site.bill.jobs += part;
  };
  const Bill run = account.draw * site.tariff.between(account.since, site.now);
  add(run);
  account.drawn += run.cost;
  account.since = site.now;
  settle(site);
  if (meters_.empty()) return site;
  const BillSum meters = read_meters(job.where);
  add(meters - account.meters);
  account.meters = meters;
  return site;
}

void Ledger::job_stopped(const JobState& job) {
  JobAccount& account = jobs_.at(job.job.id.index);
  SiteAccount& site = bill(job, account);
  site.idle += {.power = idle_of(job)};
  site.jobs -= {.power = account.draw};
  site.gpu_time += (now_ - job.started) * gpu_count(job.where);
  if (!meters_.empty()) release(job.where);
}

void Ledger::job_changed(const JobState& job, Watts draw) {
  JobAccount& account = jobs_.at(job.job.id.index);
  SiteAccount& site = bill(job, account);
  const Watts own = own_draw(job, draw);
  site.jobs -= {.power = account.draw};
  site.jobs += {.power = own};
  account.draw = own;
}

void Ledger::job_drew(const JobState& job, Watts draw) {
  JobAccount& account = jobs_.at(job.job.id.index);
  SiteAccount& site = sites_[account.site.index];
  settle(site);  // at what was thought
  const Watts own = own_draw(job, draw);
  site.metered += (own - account.draw) * site.tariff.between(account.since, site.now);
  site.jobs -= {.power = account.draw};
  site.jobs += {.power = own};
  account.draw = own;
  (void)bill(job, account);
}

JobCost Ledger::billed(JobId job) const {
  const JobAccount& account = jobs_.at(job.index);
  return {.drawn = account.drawn,
          .by_tables = account.bill.cost + account.bill.rent - account.drawn};
}

void Ledger::node_changed(NodeId id, NodePhase from, NodePhase to) {
  const Node& node = cluster_.node(id);
  SiteAccount& site = sites_[node.site.index];
  settle(site);
  const NodeDraw before = idle_draw(cluster_, node, from);
  const NodeDraw after = idle_draw(cluster_, node, to);
  site.idle -= {.power = before.gpus};
  site.idle += {.power = after.gpus};
  site.overhead -= {.power = before.node, .rent = unused_rent(cluster_, node, from)};
  site.overhead += {.power = after.node, .rent = unused_rent(cluster_, node, to)};
}

void Ledger::bring_up_to_date(NodeMeter& meter, const Node& node) const {
  const SiteAccount& site = sites_[node.site.index];
  if (meter.used > 0) {
    const NodeTables& tables = *cluster_.tables(node);
    Load load;
    if (!tables.power.empty()) load.power = tables.power[meter.used] / meter.used;
    if (!tables.rent.empty()) load.rent = tables.rent[meter.used] / meter.used;
    meter.per_gpu.add(bill_of(load, span_since(site, meter.read)));
  } else {
    meter.per_gpu = {};  // nobody has read it, and small numbers are exact
  }
  meter.read = site.now;
}

void Ledger::BillSum::add(const Bill& bill) {
  energy += bill.energy.value();
  cost += bill.cost.value();
  carbon += bill.carbon.value();
  rent += bill.rent.value();
}

void Ledger::BillSum::add(const BillSum& other) {
  energy += other.energy;
  cost += other.cost;
  carbon += other.carbon;
  rent += other.rent;
}

Ledger::BillSum Ledger::read_meters(const Placement& where) {
  BillSum sum;
  for (const GpuRange& range : where) {
    const NodeId id = cluster_.node_of[range.first.index];
    if (cluster_.tables(cluster_.node(id)) == nullptr) continue;
    bring_up_to_date(meters_[id.index], cluster_.node(id));
    // One by one: a product would round away what the second part of the sum keeps.
    for (std::uint32_t i = 0; i < range.count; ++i) sum.add(meters_[id.index].per_gpu);
  }
  return sum;
}

void Ledger::hold(const Placement& where) {
  for (const GpuRange& range : where) {
    const NodeId id = cluster_.node_of[range.first.index];
    use(id, meters_[id.index].used + range.count);
  }
}

void Ledger::release(const Placement& where) {
  for (const GpuRange& range : where) {
    const NodeId id = cluster_.node_of[range.first.index];
    use(id, meters_[id.index].used - range.count);
  }
}

void Ledger::use(NodeId id, std::uint32_t used) {
  const Node& node = cluster_.node(id);
  const NodeTables* tables = cluster_.tables(node);
  PENSTOCK_CHECK(used <= node.gpus);
  const std::uint32_t before = std::exchange(meters_[id.index].used, used);
  if (tables == nullptr) return;
  SiteAccount& site = sites_[node.site.index];
  const auto load = [&](std::uint32_t gpus) {
    return Load{.power = tables->power.empty() ? Watts{} : tables->power[gpus],
                .rent = tables->rent.empty() ? MoneyRate{} : tables->rent[gpus]};
  };
  (before > 0 ? site.jobs : site.overhead) -= load(before);
  (used > 0 ? site.jobs : site.overhead) += load(used);
}

Ledger::Span Ledger::span_since(const SiteAccount& site, const Tariff::Reading& since) {
  return {.per_watt = site.tariff.between(since, site.now), .time = site.now.at - since.at};
}

Bill Ledger::bill_of(const Load& load, const Span& span) {
  Bill bill = load.power * span.per_watt;
  bill.rent = load.rent * span.time;
  return bill;
}

void Ledger::settle(SiteAccount& site) {
  const Span span = span_since(site, site.settled);
  const Bill idle = bill_of(site.idle.load(), span);
  const Bill overhead = bill_of(site.overhead.load(), span);
  site.bill.idle += idle;
  site.bill.overhead += overhead;
  site.metered += idle + overhead + bill_of(site.jobs.load(), span);
  site.settled = site.now;
}

void Ledger::settle() {
  for (SiteAccount& site : sites_) settle(site);
}

Ledger::Load Ledger::load(const SiteAccount& site) {
  LoadSum all = site.idle;
  all += site.overhead.load();
  all += site.jobs.load();
  return all.load();
}

Bill Ledger::unsettled(const SiteAccount& site) {
  return bill_of(load(site), span_since(site, site.settled));
}

Bill Ledger::so_far() const {
  Bill sum;
  for (const SiteAccount& site : sites_) sum += site.metered + unsettled(site);
  return sum;
}

Bill Ledger::so_far(std::span<Bill> by_site) const {
  PENSTOCK_CHECK(by_site.size() == sites_.size());
  Bill sum;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    by_site[i] = sites_[i].metered + unsettled(sites_[i]);
    sum += by_site[i];
  }
  return sum;
}

Bill Ledger::take(JobId job) {
  const Bill bill = jobs_.at(job.index).bill;
  jobs_.erase(job.index);
  return bill;
}

Watts Ledger::load(SiteId id) const {
  return load(sites_[id.index]).power;
}

}  // namespace penstock
