#include "serve/api/site_pages.h"

#include <nlohmann/json.hpp>

#include "serve/api/job_view.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

SiteId site_id(std::size_t index) {
  return SiteId{static_cast<std::uint32_t>(index)};
}

/// Null for an empty text.
ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json status_json(const std::string& problem, bool ok, const StatusSince& status) {
  return {{"ok", ok}, {"text", problem}, {"since", time_json(status.since())}};
}

}  // namespace

std::vector<std::string> SitePages::why_not() const {
  std::vector<SiteReasons> sites;
  sites.reserve(needs_.backend.sites());
  for (std::size_t i = 0; i < needs_.backend.sites(); ++i)
    sites.push_back({needs_.backend.site(i).options().name, needs_.control.reasons(site_id(i))});
  return merge_site_reasons(sites);
}

ApiResponse SitePages::state(Time now) const {
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  ordered_json sites = ordered_json::array();
  bool acting = false;
  for (std::size_t i = 0; i < needs_.backend.sites(); ++i) {
    const SlurmSite& site = needs_.backend.site(i);
    sites.push_back(site.options().name);
    acting = acting || needs_.control.permissions(site_id(i)).acts;
    for (const auto& [ref, job] : site.jobs())
      ++(job.seen.phase == SlurmJob::Phase::running ? running : queued);
  }
  return json_response(
      {{"version", needs_.version},
       {"mode", name_of(needs_.config.fence.mode)},
       {"policy", {{"name", needs_.policy.name}, {"options", needs_.policy.options}}},
       {"since", format_time(needs_.since)},
       {"now", format_time(now)},
       {"acting", acting},
       {"paused", needs_.control.paused().has_value()},
       {"why_not", why_not()},
       {"jobs",
        {{"queued", queued}, {"running", running}, {"ended", needs_.observer.counts().ended}}},
       {"sites", sites},
       {"decisions", needs_.observer.counts().decisions},
       {"last_event", needs_.feed.last_id()}});
}

ApiResponse SitePages::ready(Time now) const {
  std::vector<std::string> reasons = why_not();
  std::erase(reasons, "the mode is shadow");
  return json_response(
      {{"ready", reasons.empty()}, {"why_not", reasons}, {"now", format_time(now)}},
      reasons.empty() ? 200 : 503);
}

SitePages::SiteFigures SitePages::figures_of(std::size_t index, Time now) const {
  SiteFigures figures;
  for (const auto& [ref, job] : needs_.backend.site(index).jobs())
    ++(job.seen.phase == SlurmJob::Phase::running ? figures.running : figures.queued);
  const Ledger* ledger = needs_.observer.ledger();
  if (ledger == nullptr) return figures;
  std::vector<Bill> bills(needs_.backend.sites());
  (void)ledger->so_far(bills);
  figures.bill = bills[index];
  figures.power = ledger->load(site_id(index)) * needs_.scenario.signals[index].pue.at(now).value();
  return figures;
}

ordered_json SitePages::site_json(std::size_t index, const Outlook& outlook, Time now) const {
  const SiteId id = site_id(index);
  const SlurmSite& slurm = needs_.backend.site(index);
  const Site& site = needs_.scenario.cluster.sites[index];
  const SiteSignals& signals = needs_.scenario.signals[index];
  const SiteFigures figures = figures_of(index, now);
  const State* state = needs_.observer.state();
  const SiteState counts = state != nullptr ? state->site(id) : SiteState{};
  const std::string& currency = needs_.scenario.currency;
  const std::string& signal_problem = needs_.control.signal_problem(id);
  // Several sites share a budget: none of them has one of its own.
  const auto budget = needs_.backend.sites() == 1 ? budget_power(needs_.policy) : std::nullopt;
  return {{"name", site.name},
          {"nodes", site.nodes},
          {"nodes_down", counts.down_nodes},
          {"nodes_asleep", counts.sleeping_nodes},
          {"gpus", site.gpus},
          {"busy_gpus", counts.busy_gpus},
          {"queued", figures.queued},
          {"running", figures.running},
          {"power_w", figures.power.value()},
          {"cap_w", signals.cap ? ordered_json(signals.cap->at(now).value()) : ordered_json()},
          {"price", signals.price.at(now).value()},
          {"price_unit", text_or_null(currency.empty() ? "" : currency + "/kWh")},
          {"carbon_g_per_kwh", signals.carbon.at(now).value()},
          {"energy_j", figures.bill.energy.value()},
          {"cost", (figures.bill.cost + figures.bill.rent).value()},
          {"currency", text_or_null(currency)},
          {"carbon_g", figures.bill.carbon.value()},
          {"acting", needs_.control.permissions(id).acts},
          {"why_not", needs_.control.reasons(id)},
          {"failed_open", needs_.control.has_failed_open(id)},
          {"backend", status_json(slurm.last_error(), slurm.answers(), health_[index].backend)},
          {"signals", status_json(signal_problem, signal_problem.empty(), health_[index].signals)},
          {"budget_w", budget ? ordered_json(budget->value()) : ordered_json()},
          {"ahead", forecast_json(outlook, id, now)},
          {"foretold_until", forecast_end_json(outlook, id, now)}};
}

ApiResponse SitePages::sites(Time now) const {
  ordered_json list = ordered_json::array();
  const Outlook outlook(needs_.scenario.signals, needs_.scenario.forecasts, now);
  for (std::size_t i = 0; i < needs_.backend.sites(); ++i)
    list.push_back(site_json(i, outlook, now));
  return json_response({{"sites", list}});
}

ApiResponse SitePages::history() const {
  std::vector<std::string> names;
  names.reserve(needs_.scenario.cluster.sites.size());
  for (const Site& site : needs_.scenario.cluster.sites) names.push_back(site.name);
  return json_response(history_.as_json(names));
}

void SitePages::set_metrics(const std::string& site, const SiteFigures& figures,
                            std::uint64_t errors) {
  DaemonMetrics& metrics = needs_.metrics;
  metrics.set("penstock_site_power_watts", {{"site", site}}, figures.power.value());
  metrics.set("penstock_energy_joules_total", {{"site", site}}, figures.bill.energy.value());
  metrics.set("penstock_cost_total", {{"site", site}, {"currency", needs_.scenario.currency}},
              (figures.bill.cost + figures.bill.rent).value());
  metrics.set("penstock_carbon_grams_total", {{"site", site}}, figures.bill.carbon.value());
  metrics.set("penstock_backend_errors_total", {{"site", site}}, static_cast<double>(errors));
}

void SitePages::measure(Time now) {
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  const State* state = needs_.observer.state();
  std::vector<SiteSample> samples;
  for (std::size_t i = 0; i < needs_.backend.sites(); ++i) {
    const SlurmSite& slurm = needs_.backend.site(i);
    const SiteFigures figures = figures_of(i, now);
    queued += figures.queued;
    running += figures.running;
    samples.push_back({.power = figures.power,
                       .busy_gpus = state != nullptr ? state->site(site_id(i)).busy_gpus : 0,
                       .queued = figures.queued,
                       .running = figures.running});
    health_[i].backend.update(slurm.answers(), now);
    health_[i].signals.update(needs_.control.signal_problem(site_id(i)).empty(), now);
    set_metrics(slurm.options().name, figures, slurm.poller().errors());
  }
  DaemonMetrics& metrics = needs_.metrics;
  metrics.set("penstock_jobs", {{"state", "queued"}}, static_cast<double>(queued));
  metrics.set("penstock_jobs", {{"state", "running"}}, static_cast<double>(running));
  metrics.set("penstock_jobs", {{"state", "ended"}},
              static_cast<double>(needs_.observer.counts().ended));
  if (state != nullptr) history_.add(now, samples);
}

}  // namespace penstock
