#include "serve/control/activation_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/json/json_at.h"
#include "journal/log.h"

namespace penstock {
namespace {

constexpr Duration kBetweenSignals = std::chrono::seconds(2);
constexpr Duration kBetweenChecks = std::chrono::seconds(2);
constexpr Duration kBetweenHeartbeats = std::chrono::seconds(3);
constexpr Duration kBetweenLettingGo = std::chrono::seconds(10);
constexpr Duration kBetweenDeletions = std::chrono::hours(1);
constexpr Duration kBetweenProbes = std::chrono::seconds(5);

}  // namespace

ActivationControl::ActivationControl(const Dependencies& needs)
    : needs_(needs),
      signals_({needs.config, needs.scenario, needs.backend, needs.reload}),
      sites_(needs.scenario.cluster.sites.size()) {}

std::vector<std::string> ActivationControl::reasons(SiteId site) const {
  std::vector<std::string> all;
  const bool shadow = needs_.config.fence.mode == Mode::shadow;
  if (shadow) all.emplace_back("the mode is shadow");
  if (paused_) all.push_back("it is paused: " + *paused_);
  if (outside_hours_) all.emplace_back("it is outside the hours of the fence");
  if (!journal_problem_.empty())
    all.push_back("the journal cannot be written: " + journal_problem_);
  if (!shadow && !sites_[site.index].other_daemon.empty())
    all.push_back("another penstock serve acts on this cluster: " +
                  sites_[site.index].other_daemon);
  if (!signal_problem(site).empty()) all.push_back(signal_problem(site));
  const SlurmSite& slurm = needs_.backend.site(site.index);
  if (!slurm.answers())
    all.push_back(
        fmt::format("{} does not answer: {}", slurm.options().name,
                    slurm.last_error().empty() ? "it was not asked yet" : slurm.last_error()));
  return all;
}

std::optional<std::string> ActivationControl::why_not(SiteId site) const {
  const auto all = reasons(site);
  if (all.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(all, "; "));
}

void ActivationControl::pause(const std::string& reason, Time now) {
  paused_ = reason.empty() ? "somebody asked for it" : reason;
  announce(needs_.backend, now, "", "paused", *paused_);
  update_permissions(now);
}

void ActivationControl::restore_pause() {
  const auto paused = needs_.journal.latest_entries("paused", 1);
  const auto resumed = needs_.journal.latest_entries("resumed", 1);
  if (!paused || !resumed || paused->empty()) return;
  if (!resumed->empty() && resumed->front().id > paused->front().id) return;
  const auto detail = nlohmann::json::parse(paused->front().detail, nullptr, false);
  paused_ = text_at(detail, "text", "somebody asked for it");
}

void ActivationControl::resume(Time now) {
  if (!paused_) return;
  paused_.reset();
  announce(needs_.backend, now, "", "resumed", "it goes on");
  update_permissions(now);
}

void ActivationControl::journal_failed(const std::string& why) {
  if (journal_problem_ != why) log_line(now_, "error", "journal", why);
  journal_problem_ = why;
}

void ActivationControl::journal_works() {
  journal_problem_.clear();
  log_line(now_, "info", "journal", "can be written again");
}

bool ActivationControl::tick(Time now) {
  now_ = now;
  bool replaced = false;
  if (const Duration jump = needs_.clock.take_jump(); jump != Duration::zero())
    announce(needs_.backend, now, "", "clock",
             fmt::format("the system's clock jumped by {} s", jump.count() / 1000));
  if (now >= next_signals_) {
    next_signals_ = now + kBetweenSignals;
    replaced = signals_.check(now);
  }
  if (now >= next_claim_check_) {
    next_claim_check_ = now + kBetweenChecks;
    check_other_daemons(now);
  }
  outside_hours_ = !is_within(needs_.config.fence.hours, now);
  update_permissions(now);
  if (!journal_problem_.empty() && now >= next_probe_) probe_journal(now);
  if (now >= next_heartbeat_) write_heartbeat(now);
  if (now >= next_deletion_) delete_old_entries(now);
  return replaced;
}

/// One that only looks on leaves the cluster to whoever wants it.
void ActivationControl::check_other_daemons(Time now) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    ClusterClaim& claim = needs_.access[i].claim;
    std::string& known = sites_[i].other_daemon;
    const bool acts = needs_.config.fence.mode != Mode::shadow;
    const std::string other_daemon = (acts ? claim.take() : claim.holder()).value_or("");
    const std::string& name = needs_.scenario.cluster.sites[i].name;
    if (acts && !other_daemon.empty() && other_daemon != known)
      announce(needs_.backend, now, name, "rival",
               "another penstock serve acts on this cluster, so this one only looks on: " +
                   other_daemon);
    if (acts && other_daemon.empty() && !known.empty())
      announce(needs_.backend, now, name, "rival",
               "the other penstock serve is gone; this one acts");
    known = other_daemon;
  }
}

void ActivationControl::update_permissions(Time now) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    if (const auto why = why_not(SiteId{static_cast<std::uint32_t>(i)}))
      forbid(i, *why, now);
    else
      permit(i, now);
  }
}

void ActivationControl::permit(std::size_t index, Time now) {
  Site& site = sites_[index];
  SitePermissions& permissions = needs_.access[index].permissions;
  if (site.failed_open)
    announce(needs_.backend, now, needs_.scenario.cluster.sites[index].name, "acting",
             "it holds new jobs again");
  site.idle_since.reset();
  site.failed_open = false;
  if (!permissions.acts) needs_.backend.wake_at(now);  // what was refused may be
  permissions = {.acts = true, .holds = true};
}

void ActivationControl::forbid(std::size_t index, const std::string& why, Time now) {
  Site& site = sites_[index];
  SitePermissions& permissions = needs_.access[index].permissions;
  permissions.acts = false;
  if (!site.other_daemon.empty()) {  // what is held is held for the other one
    permissions = {.acts = false, .holds = false, .releases = false};
    site.idle_since.reset();
    return;
  }
  permissions.releases = true;
  if (!site.idle_since) site.idle_since = now;
  const bool shadow = needs_.config.fence.mode == Mode::shadow;
  const bool late = now - *site.idle_since >= needs_.config.fail_open_after;
  if (!shadow && !site.failed_open && late) {
    site.failed_open = true;
    announce(needs_.backend, now, needs_.scenario.cluster.sites[index].name, "failed open",
             fmt::format("for {} s nothing could be done ({}): jobs are left to Slurm's own "
                         "scheduler",
                         needs_.config.fail_open_after.count() / 1000, why));
  }
  permissions.holds = !shadow && !site.failed_open;
  if (!permissions.holds) release_jobs(index, why, now);
}

void ActivationControl::release_jobs(std::size_t index, const std::string& why, Time now) {
  SlurmSite& slurm = needs_.backend.site(index);
  Site& site = sites_[index];
  if (!slurm.answers() || now - site.last_release < kBetweenLettingGo) return;
  site.last_release = now;
  slurm.release_all({why, now});
}

void ActivationControl::probe_journal(Time now) {
  next_probe_ = now + kBetweenProbes;
  needs_.backend.note({.when = now, .what = "journal", .detail = R"({"text":"is it back?"})"});
}

void ActivationControl::write_heartbeat(Time now) {
  next_heartbeat_ = now + kBetweenHeartbeats;
  if (!needs_.config.heartbeat) return;
  const bool holds = std::ranges::any_of(
      needs_.access, [](const SiteAccess& each) { return each.permissions.holds; });
  const std::filesystem::path& path = *needs_.config.heartbeat;
  std::error_code error;
  if (!holds) {
    std::filesystem::remove(path, error);
    return;
  }
  const std::filesystem::path fresh = path.string() + ".new";
  // By the system's clock: that is the one that readers have.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::ofstream(fresh) << seconds.time_since_epoch().count() << "\n";
  std::filesystem::rename(fresh, path, error);
}

void ActivationControl::delete_old_entries(Time now) {
  next_deletion_ = now + kBetweenDeletions;
  if (auto done = needs_.journal.delete_before(now - needs_.config.retention); !done)
    log_line(now, "warning", "journal", "old entries stay: " + done.error().message);
}

namespace {

/// A reason, and whom it is about.
struct SharedReason {
  std::string reason{};
  std::vector<std::string> sites{};

  bool names_its_site() const { return sites.size() == 1 && reason.starts_with(sites[0] + " "); }
};

}  // namespace

std::vector<std::string> merge_site_reasons(const std::vector<SiteReasons>& sites) {
  std::vector<SharedReason> all;
  for (const SiteReasons& each : sites)
    for (const std::string& reason : each.reasons) {
      const auto same = std::ranges::find(all, reason, &SharedReason::reason);
      SharedReason& shared = same == all.end() ? all.emplace_back(SharedReason{reason, {}}) : *same;
      shared.sites.push_back(each.site);
    }
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const SharedReason& shared : all)
    texts.push_back(shared.sites.size() == sites.size() || shared.names_its_site()
                        ? shared.reason
                        : fmt::format("{}: {}", fmt::join(shared.sites, ", "), shared.reason));
  return texts;
}

}  // namespace penstock
