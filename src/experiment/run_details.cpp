#include "experiment/run_details.h"

namespace penstock {
namespace {

/// GPUs of a site's nodes that sleep or are down.
std::uint32_t gpus_away(const Cluster& cluster, const Site& site, const State& state) {
  std::uint32_t away = 0;
  for (std::uint32_t n = 0; n < site.nodes; ++n) {
    const NodeId node{site.first_node.index + n};
    if (state.node(node).phase != NodePhase::awake) away += cluster.node(node).gpus;
  }
  return away;
}

}  // namespace

std::vector<TimelineRow> timeline_rows(Time now, const Scenario& scenario, const State& state,
                                       const Ledger& ledger) {
  std::vector<TimelineRow> rows;
  const Cluster& cluster = scenario.cluster;
  rows.reserve(cluster.sites.size());
  for (std::uint32_t i = 0; i < cluster.sites.size(); ++i) {
    const SiteId id{i};
    const SiteState& site = state.site(id);
    const SiteSignals& signals = scenario.signals[i];
    const bool all_awake = site.sleeping_nodes + site.down_nodes == 0;
    const std::uint32_t away = all_awake ? 0 : gpus_away(cluster, cluster.sites[i], state);
    rows.push_back({.time = now,
                    .site = cluster.sites[i].name,
                    .busy_gpus = site.busy_gpus,
                    .idle_gpus = cluster.sites[i].gpus - site.busy_gpus - away,
                    .sleeping_nodes = site.sleeping_nodes,
                    .queued_jobs = state.queue().size(),
                    .running_jobs = site.running_jobs,
                    .power = ledger.load(id) * signals.pue.at(now).value(),
                    .price = signals.price.at(now),
                    .carbon = signals.carbon.at(now),
                    .cap = signals.cap ? std::optional(signals.cap->at(now)) : std::nullopt});
  }
  return rows;
}

void DetailRecorder::before(const Batch& batch, const State& state, const Ledger& ledger) {
  if (!options_.timeline_every) return;
  for (; next_sample_ <= batch.now; next_sample_ += *options_.timeline_every)
    for (TimelineRow& row : timeline_rows(next_sample_, scenario_, state, ledger))
      details_.timeline.push_back(std::move(row));
}

void DetailRecorder::decided(Time now, const Decision& decision, const State& state) {
  if (!options_.decisions || decision.actions.empty()) return;
  details_.decisions.push_back({.time = now,
                                .queued_jobs = state.queue().size(),
                                .running_jobs = state.running().size(),
                                .actions = decision.actions,
                                .reason = decision.reason,
                                .because = decision.because});
}

void DetailRecorder::ended(const JobRecord& record) {
  if (!options_.jobs) return;
  details_.jobs.push_back({.id = record.job.id.index,
                           .name = record.job.name,
                           .site = scenario_.cluster.sites[record.site.index].name,
                           .outcome = record.outcome,
                           .submitted = record.job.submitted,
                           .first_start = record.first_start,
                           .finish = record.finish,
                           .held = record.held,
                           .gpus = record.job.gpus,
                           .gpus_mean = record.gpus_mean,
                           .clock_mean_mhz = record.clock_mean_mhz,
                           .preemptions = record.preemptions,
                           .interruptions = record.interruptions,
                           .resizes = record.resizes,
                           .migrations = record.migrations,
                           .bill = record.bill,
                           .deadline = record.job.deadline});
}

}  // namespace penstock
