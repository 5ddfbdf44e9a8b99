// The page of sites, and the metrics, which say the same in numbers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "serve/api/api.h"
#include "serve/api/api_service.h"
#include "serve/api/job_view.h"
#include "serve/api/site_history.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

struct SiteFigures {
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  Watts power{};
  Bill bill{};
};

SiteFigures figures_of(const SlurmSite& site, const Watcher& watcher, SiteId id, double pue,
                       std::size_t sites) {
  SiteFigures figures;
  for (const auto& [ref, job] : site.jobs())
    ++(job.seen.phase == SlurmJob::Phase::running ? figures.running : figures.queued);
  if (watcher.ledger() == nullptr) return figures;
  std::vector<Bill> bills(sites);
  (void)watcher.ledger()->so_far(bills);
  figures.bill = bills[id.index];
  figures.power = watcher.ledger()->load(id) * pue;
  return figures;
}

}  // namespace

ApiAnswer Desk::sites(Time now) const {
  ordered_json list = ordered_json::array();
  const Outlook outlook(around_.scenario.signals, around_.scenario.forecasts, now);
  // Several sites share a budget: none of them has one of its own.
  const auto budget = around_.backend.sites() == 1 ? budget_power(around_.policy) : std::nullopt;
  for (std::size_t i = 0; i < around_.backend.sites(); ++i) {
    const SlurmSite& slurm = around_.backend.site(i);
    const SiteId id{static_cast<std::uint32_t>(i)};
    const Site& site = around_.scenario.cluster.sites[i];
    const SiteSignals& signals = around_.scenario.signals[i];
    const double pue = signals.pue.at(now).value();
    const SiteFigures figures =
        figures_of(slurm, around_.watcher, id, pue, around_.backend.sites());
    const State* state = around_.watcher.state();
    const SiteState counts = state != nullptr ? state->site(id) : SiteState{};
    const std::string& currency = around_.scenario.currency;
    list.push_back(
        {{"name", site.name},
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
         {"price_unit", currency.empty() ? ordered_json() : ordered_json(currency + "/kWh")},
         {"carbon_g_per_kwh", signals.carbon.at(now).value()},
         {"energy_j", figures.bill.energy.value()},
         {"cost", (figures.bill.cost + figures.bill.rent).value()},
         {"currency", currency.empty() ? ordered_json() : ordered_json(currency)},
         {"carbon_g", figures.bill.carbon.value()},
         {"acting", around_.steering.permissions(id).acts},
         {"why_not", around_.steering.reasons(id)},
         {"failed_open", around_.steering.has_failed_open(id)},
         {"backend",
          {{"ok", slurm.answers()},
           {"text", slurm.trouble()},
           {"since", time_json(marks_[i].backend.since())}}},
         {"signals",
          {{"ok", around_.steering.signal_trouble(id).empty()},
           {"text", around_.steering.signal_trouble(id)},
           {"since", time_json(marks_[i].signals.since())}}},
         {"budget_w", budget ? ordered_json(budget->value()) : ordered_json()},
         {"ahead", ahead_json(outlook, id, now)},
         {"foretold_until", foretold_until_json(outlook, id, now)}});
  }
  return as_answer({{"sites", list}});
}

ApiAnswer Desk::history() const {
  std::vector<std::string> names;
  names.reserve(around_.scenario.cluster.sites.size());
  for (const Site& site : around_.scenario.cluster.sites) names.push_back(site.name);
  return as_answer(history_.as_json(names));
}

void Desk::measure(Time now) {
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  DaemonMetrics& metrics = around_.metrics;
  const State* state = around_.watcher.state();
  std::vector<SiteSample> samples;
  for (std::size_t i = 0; i < around_.backend.sites(); ++i) {
    const SlurmSite& slurm = around_.backend.site(i);
    const SiteId id{static_cast<std::uint32_t>(i)};
    const std::string& name = slurm.options().name;
    const double pue = around_.scenario.signals[i].pue.at(now).value();
    const SiteFigures figures =
        figures_of(slurm, around_.watcher, id, pue, around_.backend.sites());
    queued += figures.queued;
    running += figures.running;
    samples.push_back({.power = figures.power,
                       .busy_gpus = state != nullptr ? state->site(id).busy_gpus : 0,
                       .queued = figures.queued,
                       .running = figures.running});
    marks_[i].backend.see(slurm.answers(), now);
    marks_[i].signals.see(around_.steering.signal_trouble(id).empty(), now);
    metrics.set("penstock_site_power_watts", {{"site", name}}, figures.power.value());
    metrics.set("penstock_energy_joules_total", {{"site", name}}, figures.bill.energy.value());
    metrics.set("penstock_cost_total", {{"site", name}, {"currency", around_.scenario.currency}},
                (figures.bill.cost + figures.bill.rent).value());
    metrics.set("penstock_carbon_grams_total", {{"site", name}}, figures.bill.carbon.value());
    metrics.set("penstock_backend_errors_total", {{"site", name}},
                static_cast<double>(slurm.errors()));
  }
  metrics.set("penstock_jobs", {{"state", "queued"}}, static_cast<double>(queued));
  metrics.set("penstock_jobs", {{"state", "running"}}, static_cast<double>(running));
  metrics.set("penstock_jobs", {{"state", "ended"}},
              static_cast<double>(around_.watcher.counts().ended));
  if (state != nullptr) history_.add(now, samples);
}

}  // namespace penstock
