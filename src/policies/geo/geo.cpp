#include "policies/geo/geo.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <variant>

#include "policies/geo/routers.h"

namespace penstock {
namespace {

double gpu_hours(const JobState& job) {
  return job.job.gpus * seconds(job.remaining_request()) / 3600;
}

}  // namespace

Geo::Geo(const Cluster& cluster, std::unique_ptr<Router> router,
         std::vector<std::unique_ptr<SiteScheduler>> schedulers)
    : cluster_(cluster),
      router_(std::move(router)),
      schedulers_(std::move(schedulers)),
      coming_(schedulers_.size()),
      news_(schedulers_.size()) {}

Decision Geo::decide(const View& view) {
  Decision decision;
  undo_refused(view);
  for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e, view); }, event);
  if (site_failed_) reclaim_lost(view);
  const bool asked = router_again_ && *router_again_ <= view.now;
  if (!waiting_.empty() && (!view.happened.empty() || asked)) route(view, decision);
  if (waiting_.empty()) router_again_.reset();
  decision.ask_again = router_again_;
  for (const auto& scheduler : schedulers_) {
    if (scheduler->is_due(view.now)) scheduler->decide(view, decision);
    if (const auto again = scheduler->ask_again())
      decision.ask_again = std::min(decision.ask_again.value_or(*again), *again);
  }
  if (view.explain) prepend_site_reasons(view, decision);
  return decision;
}

void Geo::on(const JobSubmitted& e, const View& view) {
  if (!view.state.job(e.job).job.parents.empty()) return;  // it will be told as ready
  waiting_.push_back(e.job);
  ++fresh_;
}

void Geo::on(const JobReady& e, const View& /*view*/) {
  waiting_.push_back(e.job);
  ++fresh_;
}

void Geo::on(const JobFinished& e, const View& view) {
  schedulers_[site_of_.at(e.job.index).index]->on(e, view.now);
  site_of_.erase(e.job.index);
}

void Geo::on(const JobInterrupted& e, const View& view) {
  schedulers_[site_of_.at(e.job.index).index]->on(e, view.now);
}

void Geo::on(const NodeFailed& e, const View& view) {
  SiteScheduler& scheduler = scheduler_of(e.node);
  scheduler.on(e, view.now);
  site_failed_ = site_failed_ || scheduler.is_down();
}

void Geo::on(const NodeRepaired& e, const View& view) {
  scheduler_of(e.node).on(e, view.now);
}

void Geo::on(const JobArrived& e, const View& view) {
  const JobState& job = view.state.job(e.job);
  stop_expecting(job, job.at);
  schedulers_[job.at.index]->accept(job);
  site_failed_ = site_failed_ || schedulers_[job.at.index]->is_down();
}

void Geo::on(const JobWithdrawn& e, const View& view) {
  why_there_.erase(e.job);
  forget_waiting(e.job);
  if (const SiteId* site = site_of_.find(e.job.index)) {
    schedulers_[site->index]->withdraw(e.job, view.now);
    site_of_.erase(e.job.index);
  }
}

void Geo::on(const JobStarted& e, const View& view) {
  const SiteId here = view.state.site_of(e.where);
  forget_waiting(e.job);
  why_there_.erase(e.job);
  SiteId* site = site_of_.find(e.job.index);
  if (site != nullptr && *site != here) schedulers_[site->index]->withdraw(e.job, view.now);
  if (site == nullptr || *site != here) schedulers_[here.index]->accept_before(e, view);
  if (site == nullptr)
    site_of_.insert(e.job.index, here);
  else
    *site = here;
  schedulers_[here.index]->on(e, view.now);
}

void Geo::on(const JobMeasured& e, const View& view) {
  if (const SiteId* site = site_of_.find(e.job.index)) schedulers_[site->index]->on(e, view);
}

void Geo::forget_waiting(JobId job) {
  const auto found = std::ranges::find(waiting_, job);
  if (found == waiting_.end()) return;
  const auto unseen = static_cast<std::size_t>(waiting_.end() - found);
  if (unseen <= fresh_) --fresh_;
  waiting_.erase(found);
  router_->forget(job);
}

void Geo::undo_refused(const View& view) {
  for (const Event& event : view.happened) {
    const auto* refused = std::get_if<Refused>(&event);
    if (refused == nullptr) continue;
    const auto* sent = std::get_if<Route>(&refused->action);
    if (sent == nullptr) continue;
    const JobState& job = view.state.job(sent->job);
    stop_expecting(job, sent->to);
    site_of_.erase(sent->job.index);
    waiting_.push_back(sent->job);
    ++fresh_;
  }
  for (const auto& scheduler : schedulers_) scheduler->undo_refused(view);
}

void Geo::reclaim_lost(const View& view) {
  site_failed_ = false;
  for (const auto& scheduler : schedulers_) {
    if (!scheduler->is_down()) continue;
    for (const JobId job : scheduler->withdraw_queue(view.now)) {
      site_of_.erase(job.index);
      waiting_.push_back(job);
      ++fresh_;
    }
  }
}

void Geo::expect(const JobState& job, SiteId site) {
  Coming& coming = coming_[site.index];
  ++coming.jobs;
  coming.gpus += job.job.gpus;
  coming.gpu_hours += gpu_hours(job);
}

void Geo::stop_expecting(const JobState& job, SiteId site) {
  Coming& coming = coming_[site.index];
  --coming.jobs;
  coming.gpus -= job.job.gpus;
  coming.gpu_hours = coming.jobs == 0 ? 0 : coming.gpu_hours - gpu_hours(job);
}

void Geo::publish(Time now) {
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    news_[i] = schedulers_[i]->news(now);
    news_[i].claimed += coming_[i].gpus;
    news_[i].waiting += coming_[i].jobs;
    news_[i].waiting_gpu_hours += coming_[i].gpu_hours;
  }
}

void Geo::route(const View& view, Decision& decision) {
  publish(view.now);
  Routing routing = router_->route({.now = view.now,
                                    .waiting = waiting_,
                                    .fresh = fresh_,
                                    .sites = news_,
                                    .state = view.state,
                                    .models = view.models,
                                    .outlook = view.outlook,
                                    .held_ahead =
                                        [this, now = view.now](SiteId site, const Steps& steps) {
                                          return schedulers_[site.index]->held_ahead(now, steps);
                                        },
                                    .explain = view.explain});
  fresh_ = 0;
  router_again_ = routing.ask_again;
  decision.reason = routing.reason;
  keep_reasons(routing, decision);
  for (const SentJob& sent : routing.sent)  // it may remember a job that was started by others
    if (site_of_.find(sent.job.index) == nullptr) send(sent, view, decision);
  std::erase_if(waiting_, [&](JobId job) { return site_of_.find(job.index) != nullptr; });
}

void Geo::send(const SentJob& sent, const View& view, Decision& decision) {
  const JobState& job = view.state.job(sent.job);
  site_of_.insert(sent.job.index, sent.site);
  if (job.at == kNoSite || job.at == sent.site) return schedulers_[sent.site.index]->accept(job);
  decision.actions.emplace_back(Route{sent.job, sent.site});
  expect(job, sent.site);
}

void Geo::keep_reasons(Routing& routing, Decision& decision) {
  for (JobReason& each : routing.because) {
    if (std::ranges::find(routing.sent, each.job, &SentJob::job) == routing.sent.end()) {
      decision.because.push_back(std::move(each));
      continue;
    }
    sent_.push_back(each.job);
    why_there_.insert_or_assign(each.job, std::move(each.text));
  }
}

void Geo::prepend_site_reasons(const View& view, Decision& decision) {
  std::set<JobId> explained;
  for (JobReason& each : decision.because) {
    const auto there = why_there_.find(each.job);
    if (there != why_there_.end() && explained.insert(each.job).second)
      each.text = there->second + "; " + each.text;
  }
  for (const JobId job : sent_) {
    const auto there = why_there_.find(job);
    if (explained.contains(job) || there == why_there_.end()) continue;
    const bool is_there =
        view.state.job(job).at == kNoSite || view.state.job(job).at == site_of_.at(job.index);
    decision.because.push_back(
        {job, there->second + (is_there ? "; waits for its turn there" : "")});
  }
  sent_.clear();
  for (const Action& action : decision.actions)
    if (const auto* start = std::get_if<Start>(&action)) why_there_.erase(start->job);
}

namespace {

constexpr OptionSpec kSite{"site", "fifo",
                           "the policy of each site, any of this list; its options as site.NAME"};
constexpr OptionSpec kSlack{"slack", "0.5",
                            "jobs without a deadline may wait for this part of the time they ask"};
constexpr auto kGeoOptions = std::to_array<OptionSpec>({
    {"router", "local",
     "who chooses sites: local random round-robin cheapest greenest least-loaded most-free mpc "
     "thrifty thrifty-wait marl independent-rl single-rl"},
    kSite,
    {"wait", "none",
     "while there is slack, start in the hours that are best by the forecast: none, cheapest or "
     "greenest"},
    kSlack,
    {"seed", "1", "random seed"},
    {"epoch", "1 h", "mpc: how often everything is planned anew"},
    {"horizon", "24", "mpc: hours ahead for which starts are planned, 72 at most"},
    {"price_weight", "0.5", "mpc: weight of the energy price, relative to its mean"},
    {"carbon_weight", "0.5", "mpc: weight of the carbon intensity, relative to its mean"},
    {"transfer_weight", "0.1",
     "mpc: weight of fees and energy for sending files, relative to the mean price"},
    {"late_weight", "1", "mpc: weight of a late job, relative to the energy of an average job"},
    {"wait_weight", "0.02", "mpc: weight of an hour of waiting, relative to the job's own energy"},
    {"weights", "none", "file of trained agents for the routers marl, independent-rl, single-rl"},
});
constexpr auto kWaitOptions = std::to_array<OptionSpec>({kSite, kSlack});

/// The options of the sites' own policy.
Options options_of_site(const Options& options) {
  Options own;
  for (const auto& [name, value] : options)
    if (name.starts_with(kSiteOption)) own[name.substr(kSiteOption.size())] = value;
  return own;
}

Result<std::unique_ptr<Router>> make_router(const PolicySetting& setting, const Options& options) {
  const std::string& name = options.at("router");
  std::vector<std::string_view> names;
  for (const RouterEntry& entry : setting.table->routers()) {
    if (entry.name == name) return entry.make(setting, name, options);
    names.push_back(entry.name);
  }
  return Error{fmt::format("router: there is no '{}'; possible: {}", name, fmt::join(names, " "))};
}

Result<std::unique_ptr<Policy>> make_geo(const PolicySetting& setting, std::string_view /*name*/,
                                         const Options& options) {
  const std::string& site_policy = options.at("site");
  const PolicyEntry* inner = setting.table->find(site_policy);
  if (inner != nullptr && inner->traits.holds_sites)
    return Error{fmt::format("site: '{}' has sites itself", site_policy)};
  const Options own = options_of_site(options);
  if (auto fine = setting.table->check(site_policy, own); !fine)
    return std::move(fine).error().in("site");
  auto router = make_router(setting, options);
  if (!router) return std::move(router).error();
  auto waiting = make_waiting(setting, options, *std::move(router));
  if (!waiting) return std::move(waiting).error();
  std::vector<std::unique_ptr<SiteScheduler>> schedulers;
  for (std::uint32_t i = 0; i < setting.cluster.sites.size(); ++i) {
    auto scheduler = SiteScheduler::make(setting, SiteId{i}, site_policy, own);
    if (!scheduler) return std::move(scheduler).error().in("site");
    schedulers.push_back(*std::move(scheduler));
  }
  return std::unique_ptr<Policy>(
      std::make_unique<Geo>(setting.cluster, *std::move(waiting), std::move(schedulers)));
}

/// Everybody stays at home, and waits for what the option `wait` of `geo` says.
Result<std::unique_ptr<Policy>> make_wait(const PolicySetting& setting, std::string_view name,
                                          const Options& options, const char* wait) {
  Options all = options;
  for (const OptionSpec& option : kGeoOptions)
    all.try_emplace(std::string(option.name), option.fallback);
  all["wait"] = wait;
  return make_geo(setting, name, all);
}

Result<std::unique_ptr<Policy>> make_price_wait(const PolicySetting& setting, std::string_view name,
                                                const Options& options) {
  return make_wait(setting, name, options, "cheapest");
}

Result<std::unique_ptr<Policy>> make_carbon_wait(const PolicySetting& setting,
                                                 std::string_view name, const Options& options) {
  return make_wait(setting, name, options, "greenest");
}

}  // namespace

std::span<const PolicyEntry> geo_policies() {
  static constexpr auto kPolicies = std::to_array<PolicyEntry>({
      {"geo",
       "a router over sites, and any policy at each of them",
       kGeoOptions,
       make_geo,
       {.routes = true,
        .holds_sites = true,
        .reacts_to_price = true,
        .reacts_to_carbon = true,
        .uses_models = true,
        .uses_deadlines = true}},
      {"price-wait",
       "jobs stay at home and start when power is cheapest within their slack",
       kWaitOptions,
       make_price_wait,
       {.holds_sites = true, .reacts_to_price = true, .uses_models = true, .uses_deadlines = true}},
      {"carbon-wait",
       "jobs stay at home and start when power is cleanest within their slack",
       kWaitOptions,
       make_carbon_wait,
       {.holds_sites = true,
        .reacts_to_carbon = true,
        .uses_models = true,
        .uses_deadlines = true}},
  });
  return kPolicies;
}

std::vector<RouterEntry> router_entries() {
  return {
      {"local", "run where the files are", make_rule_router},
      {"random", "anywhere that it can run", make_rule_router},
      {"round-robin", "one site after the other", make_rule_router},
      {"cheapest", "least price x PUE now, of sites with room", make_rule_router},
      {"greenest", "least carbon x PUE now, of sites with room", make_rule_router},
      {"least-loaded", "least work ahead for its size", make_rule_router},
      {"most-free", "largest share of free GPUs", make_rule_router},
      {"mpc", "least cost by a plan over sites and hours ahead", make_mpc_router},
  };
}

}  // namespace penstock
