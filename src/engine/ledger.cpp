#include "engine/ledger.h"

#include "base/check.h"

namespace penstock {

Ledger::Ledger(const Cluster& cluster, std::span<const SiteSignals> signals, Time start)
    : cluster_(cluster), sites_(cluster.sites.size()), now_(start) {
  PENSTOCK_CHECK(signals.size() == cluster.sites.size());
  for (const SiteSignals& site : signals) tariffs_.emplace_back(site, start);
  for (const Node& node : cluster.nodes) {
    const NodeDraw draw = idle_draw(cluster, node, NodePhase::awake);
    sites_[node.site.index].idle += draw.gpus;
    sites_[node.site.index].overhead += draw.node;
  }
}

void Ledger::advance(Time now) {
  PENSTOCK_CHECK(now >= now_);
  if (now == now_) return;
  now_ = now;
  for (std::size_t i = 0; i < sites_.size(); ++i) sites_[i].reading = tariffs_[i].until(now);
}

Watts Ledger::idle_of(const JobState& job) const {
  return cluster_.type(cluster_.node(job.where.front().first)).idle * gpu_count(job.where);
}

void Ledger::job_started(const JobState& job, Watts draw) {
  const SiteId id = cluster_.node(job.where.front().first).site;
  SiteAccount& site = sites_[id.index];
  settle(site);
  site.idle -= idle_of(job);
  site.jobs += draw;
  JobAccount* account = jobs_.find(job.job.id.index);
  if (account == nullptr) account = &jobs_.insert(job.job.id.index, {});
  account->draw = draw;
  account->since = site.reading;
  account->site = id;
}

Ledger::SiteAccount& Ledger::bill(JobAccount& account) {
  SiteAccount& site = sites_[account.site.index];
  const Bill run = account.draw * (site.reading - account.since);
  account.bill += run;
  site.bill.jobs += run;
  settle(site);
  return site;
}

void Ledger::job_stopped(const JobState& job) {
  JobAccount& account = jobs_.at(job.job.id.index);
  SiteAccount& site = bill(account);
  site.idle += idle_of(job);
  site.jobs -= account.draw;
  site.gpu_time += (now_ - job.started) * gpu_count(job.where);
}

void Ledger::job_changed(const JobState& job, Watts draw) {
  JobAccount& account = jobs_.at(job.job.id.index);
  SiteAccount& site = bill(account);
  site.jobs += draw - account.draw;
  account.draw = draw;
  account.since = site.reading;
}

void Ledger::node_changed(NodeId id, NodePhase from, NodePhase to) {
  const Node& node = cluster_.node(id);
  SiteAccount& site = sites_[node.site.index];
  settle(site);
  const NodeDraw before = idle_draw(cluster_, node, from);
  const NodeDraw after = idle_draw(cluster_, node, to);
  site.idle += after.gpus - before.gpus;
  site.overhead += after.node - before.node;
}

void Ledger::settle(SiteAccount& site) {
  const PerWatt since = site.reading - site.settled;
  const Bill idle = site.idle * since;
  const Bill overhead = site.overhead * since;
  site.bill.idle += idle;
  site.bill.overhead += overhead;
  site.metered += idle + overhead + site.jobs * since;
  site.settled = site.reading;
}

void Ledger::settle() {
  for (SiteAccount& site : sites_) settle(site);
}

Bill Ledger::so_far() const {
  Bill sum;
  for (const SiteAccount& site : sites_)
    sum += site.metered + (site.idle + site.overhead + site.jobs) * (site.reading - site.settled);
  return sum;
}

Bill Ledger::take(JobId job) {
  const Bill bill = jobs_.at(job.index).bill;
  jobs_.erase(job.index);
  return bill;
}

Watts Ledger::load(SiteId id) const {
  const SiteAccount& site = sites_[id.index];
  return site.idle + site.overhead + site.jobs;
}

}  // namespace penstock
