#include "serve/control/daemon_observer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "live/job/ended_entry.h"
#include "live/job/unseen_bill.h"
#include "model/event.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

using nlohmann::json;

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string place_text(const Placement& where, const Cluster& cluster, const SlurmSite* site) {
  std::vector<std::string> nodes;
  for (const GpuRange& range : where) {
    const NodeId node = cluster.node_of[range.first.index];
    const std::string name =
        site != nullptr ? site->mirror().name(node) : std::to_string(node.index);
    if (nodes.empty() || nodes.back() != name) nodes.push_back(name);
  }
  return fmt::format("on {} with {}", fmt::join(nodes, " "), gpus_label(gpu_count(where)));
}

std::string clock_text(const Knobs& knobs) {
  return knobs.clock_mhz ? fmt::format(" at {} MHz", *knobs.clock_mhz) : std::string();
}

std::string_view word_for(const Event& event) {
  static constexpr std::array<std::string_view, 11> kEventNames{
      "submitted", "ready",     "ended",   "interrupted", "node_down", "node_up",
      "arrived",   "withdrawn", "started", "measured",    "refused"};
  static_assert(kEventNames.size() == std::variant_size_v<Event>);
  return kEventNames[event.index()];
}

}  // namespace

std::string_view verb_of(const Action& action) {
  static constexpr std::array<std::string_view, 9> kVerbs{
      "start", "preempt", "resize", "migrate", "clock", "batch", "sleep", "wake", "route"};
  return kVerbs[action.index()];
}

std::string describe(const Action& action, const Cluster& cluster, const SlurmSite* site) {
  if (const auto* a = std::get_if<Start>(&action))
    return "start " + place_text(a->where, cluster, site) + clock_text(a->knobs);
  if (const auto* a = std::get_if<Resize>(&action))
    return "resize: " + place_text(a->where, cluster, site) + clock_text(a->knobs);
  if (const auto* a = std::get_if<Migrate>(&action))
    return "move: " + place_text(a->where, cluster, site);
  if (const auto* a = std::get_if<SetClock>(&action))
    return fmt::format("run at {} MHz", a->clock_mhz);
  return std::string(verb_of(action));
}

void DaemonObserver::before(const Batch& batch, const State& state, const Ledger& ledger) {
  state_ = &state;
  ledger_ = &ledger;
  waits_.update(batch);
  refusals_.update(batch);
  publish(batch);
}

void DaemonObserver::publish(const Batch& batch) {
  for (const Event& event : batch.events) {
    if (std::holds_alternative<JobMeasured>(event)) continue;  // pages look by themselves
    json line{{"when", format_time(batch.now)}};
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { e.job; }) {
            SlurmSite* site = backend_.site_of(e.job);
            if (site != nullptr)
              line["job"] = site->options().name + "/" + site->find(e.job)->seen.ref;
          } else if constexpr (requires { e.node; }) {
            line["node"] = e.node.index;
          }
        },
        event);
    if (line.size() > 1) feed_.push(word_for(event), dumped(line));
  }
}

void DaemonObserver::decided(Time now, const Decision& decision, const State& state) {
  ++counts_.decisions;
  reasons_ = reasons_of(decision, context_.policy, state);
  backend_.set_reasons(reasons_);
  waits_.update(now, decision, state);
  for (const Action& action : decision.actions) {
    const auto job = job_in(action);
    SlurmSite* site = job ? backend_.site_of(*job) : nullptr;
    json line{{"when", format_time(now)},
              {"action", verb_of(action)},
              {"text", describe(action, state.cluster(), site)},
              {"reason", reasons_.of(action)}};
    if (site != nullptr) line["job"] = site->options().name + "/" + site->find(*job)->seen.ref;
    feed_.push("decision", dumped(line));
  }
}

void DaemonObserver::refused(Time now, const Action& action, const std::string& why) {
  const auto job = job_in(action);
  if (job && std::holds_alternative<Start>(action)) waits_.refuse(now, *job, why);
  SlurmSite* site = job ? backend_.site_of(*job) : nullptr;
  if (site == nullptr) return;
  const std::string text = describe(action, state_->cluster(), site);
  // A policy says the same again and again; once is enough.
  if (!refusals_.is_new(*job, text + why)) return;
  const json detail{
      {"text",
       context_.mode == Mode::shadow ? "would " + text : fmt::format("{}: refused, {}", text, why)},
      {"action", verb_of(action)},
      {"reason", reasons_.of(action)},
      {"why", why}};
  backend_.note({.when = now,
                 .site = site->options().name,
                 .job = site->find(*job)->seen.number,
                 .what = context_.mode == Mode::shadow ? "would" : "refused",
                 .detail = dumped(detail)});
}

void DaemonObserver::ended(const JobRecord& record) {
  refusals_.forget(record.job.id);
  waits_.forget(record.job.id);
  for (std::size_t i = 0; i < backend_.sites(); ++i) {
    SlurmSite& site = backend_.site(i);
    site.add_bill(record.job.id, record.bill);
    const auto job = site.history().take_ended(record.job.id);
    if (!job) continue;
    ++counts_.ended;
    const Bill billed = job->bill_before + record.bill;
    const Bill unseen =
        unseen_bill(job->runs_seen, billed, context_.signals[record.site.index], job->usual_draw);
    EndedBill bill{.bill = billed + unseen, .predicted = record.predicted};
    const Bill unpredicted = job->bill_before + unseen;
    if (bill.predicted) *bill.predicted += unpredicted.cost + unpredicted.rent;
    backend_.note({.when = record.finish,
                   .site = site.options().name,
                   .job = job->seen.number,
                   .what = "ended",
                   .detail = dumped(ended_detail(*job, bill))});
  }
}

Decision MeasuredPolicy::decide(const View& view) {
  const auto begun = std::chrono::steady_clock::now();
  Decision decision = inner_.decide(view);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  metrics_.observe("penstock_decision_seconds", {}, took.count());
  return decision;
}

}  // namespace penstock
