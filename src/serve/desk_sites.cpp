// The page of sites, and the metrics, which say the same in numbers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "serve/desk.h"

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
         {"acting", around_.steering.wheel(id).acts},
         {"why_not", around_.steering.reasons(id)},
         {"failed_open", around_.steering.has_failed_open(id)},
         {"backend", {{"ok", slurm.answers()}, {"text", slurm.trouble()}, {"since", nullptr}}},
         {"signals",
          {{"ok", around_.steering.signal_trouble(id).empty()},
           {"text", around_.steering.signal_trouble(id)}}}});
  }
  return {200, ordered_json{{"sites", list}}.dump(-1, ' ', false,
                                                  ordered_json::error_handler_t::replace)};
}

void Desk::measure(Time now) {
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  DaemonMetrics& metrics = around_.metrics;
  for (std::size_t i = 0; i < around_.backend.sites(); ++i) {
    const SlurmSite& slurm = around_.backend.site(i);
    const SiteId id{static_cast<std::uint32_t>(i)};
    const std::string& name = slurm.options().name;
    const double pue = around_.scenario.signals[i].pue.at(now).value();
    const SiteFigures figures =
        figures_of(slurm, around_.watcher, id, pue, around_.backend.sites());
    queued += figures.queued;
    running += figures.running;
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
}

}  // namespace penstock
