#include "serve/control/activation_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "live/bridge/json_at.h"
#include "serve/journal/log.h"

namespace penstock {
namespace {

constexpr Duration kBetweenSignals = std::chrono::seconds(2);
constexpr Duration kBetweenRivals = std::chrono::seconds(2);
constexpr Duration kBetweenBeats = std::chrono::seconds(3);
constexpr Duration kBetweenLettingGo = std::chrono::seconds(10);
constexpr Duration kBetweenForgetting = std::chrono::hours(1);
constexpr Duration kBetweenProbes = std::chrono::seconds(5);

std::optional<std::filesystem::file_time_type> write_time_of(const std::string& file) {
  std::error_code trouble;
  const auto written = std::filesystem::last_write_time(file, trouble);
  if (trouble) return std::nullopt;
  return written;
}

Duration age_of(const std::string& file) {
  const auto written = write_time_of(file);
  if (!written) return Duration::max();
  return std::chrono::floor<Duration>(std::filesystem::file_time_type::clock::now() - *written);
}

/// "demo.toml:12: site.price of 'east'" is about east; without a name it is about the only site.
bool is_about(const SignalSpan& span, const std::string& site, std::size_t sites) {
  return sites == 1 || span.where.ends_with(fmt::format("of '{}'", site));
}

}  // namespace

Steering::Steering(Surroundings around)
    : around_(std::move(around)), sites_(around_.scenario.cluster.sites.size()) {
  for (const SignalSpan& span : around_.scenario.spans)
    if (const auto written = write_time_of(span.file)) files_[span.file] = *written;
  for (std::size_t i = 0; i < std::min(sites_.size(), around_.clusters.size()); ++i)
    sites_[i].claim = ClusterClaim(around_.clusters[i]);
}

std::vector<std::string> Steering::reasons(SiteId site) const {
  std::vector<std::string> all;
  if (around_.config.fence.mode == Mode::shadow) all.emplace_back("the mode is shadow");
  if (paused_) all.push_back("it is paused: " + *paused_);
  if (outside_hours_) all.emplace_back("it is outside the hours of the fence");
  if (!journal_trouble_.empty())
    all.push_back("the journal cannot be written: " + journal_trouble_);
  if (around_.config.fence.mode != Mode::shadow && !sites_[site.index].rival.empty())
    all.push_back("another penstock serve acts on this cluster: " + sites_[site.index].rival);
  if (!sites_[site.index].stale.empty()) all.push_back(sites_[site.index].stale);
  if (backend_ != nullptr) {
    const SlurmSite& slurm = backend_->site(site.index);
    if (!slurm.answers())
      all.push_back(
          fmt::format("{} does not answer: {}", slurm.options().name,
                      slurm.trouble().empty() ? "it was not asked yet" : slurm.trouble()));
  }
  return all;
}

std::optional<std::string> Steering::why_not(SiteId site) const {
  const auto all = reasons(site);
  if (all.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(all, "; "));
}

void Steering::say(Time now, const std::string& site, const std::string& what,
                   const std::string& text) {
  log_line(now, "info", what, site.empty() ? text : site + ": " + text);
  if (backend_ == nullptr) return;
  const nlohmann::json detail{{"text", text}};
  backend_->note({.when = now,
                  .site = site,
                  .what = what,
                  .detail = detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

void Steering::pause(const std::string& reason, Time now) {
  paused_ = reason.empty() ? "somebody asked for it" : reason;
  say(now, "", "paused", *paused_);
  update_permissions(now);
}

void Steering::remember_pause() {
  const auto paused = around_.journal.latest_entries("paused", 1);
  const auto resumed = around_.journal.latest_entries("resumed", 1);
  if (!paused || !resumed || paused->empty()) return;
  if (!resumed->empty() && resumed->front().id > paused->front().id) return;
  const auto detail = nlohmann::json::parse(paused->front().detail, nullptr, false);
  paused_ = text_at(detail, "text", "somebody asked for it");
}

void Steering::resume(Time now) {
  if (!paused_) return;
  paused_.reset();
  say(now, "", "resumed", "it goes on");
  update_permissions(now);
}

void Steering::journal_failed(const std::string& why) {
  if (journal_trouble_ != why) log_line(now_, "error", "journal", why);
  journal_trouble_ = why;
}

void Steering::journal_works() {
  journal_trouble_.clear();
  log_line(now_, "info", "journal", "can be written again");
}

bool Steering::tick(Time now) {
  now_ = now;
  bool replaced = false;
  if (const Duration jump = around_.clock.take_jump(); jump != Duration::zero())
    say(now, "", "clock", fmt::format("the system's clock jumped by {} s", jump.count() / 1000));
  if (now >= next_signals_) {
    next_signals_ = now + kBetweenSignals;
    replaced = read_signals_again(now);
    look_for_stale(now);
  }
  if (now >= next_rivals_) {
    next_rivals_ = now + kBetweenRivals;
    look_for_rivals(now);
  }
  outside_hours_ = !is_within(around_.config.fence.hours, now);
  update_permissions(now);
  if (!journal_trouble_.empty() && now >= next_probe_) {
    next_probe_ = now + kBetweenProbes;
    if (backend_ != nullptr)
      backend_->note({.when = now, .what = "journal", .detail = R"({"text":"is it back?"})"});
  }
  if (now >= next_beat_) beat(now);
  if (now >= next_forget_) forget_old(now);
  return replaced;
}

bool Steering::read_signals_again(Time now) {
  bool changed = false;
  for (auto& [file, before] : files_) {
    const auto written = write_time_of(file);
    if (!written && gone_.insert(file).second)
      say(now, "", "signals", file + " is gone; what was read of it holds");
    if (!written) continue;
    if (gone_.erase(file) == 0 && *written == before) continue;
    before = *written;
    changed = true;
  }
  if (!changed && reload_trouble_.empty()) return false;
  auto fresh = around_.reload();  // after trouble also as it was: it may only have been unreadable
  if (!fresh) {
    if (reload_trouble_ != fresh.error().message)
      say(now, "", "signals", "cannot be read again, the old ones hold: " + fresh.error().message);
    reload_trouble_ = fresh.error().message;
    return false;
  }
  reload_trouble_.clear();
  // In place: the engine looks at these very elements.
  std::ranges::move(fresh->signals, around_.scenario.signals.begin());
  std::ranges::move(fresh->forecasts, around_.scenario.forecasts.begin());
  around_.scenario.spans = std::move(fresh->spans);
  say(now, "", "signals", "were read again");
  return true;
}

/// Empty if the series tells about this moment and is fresh enough.
std::string Steering::stale_of(const SignalSpan& span, const std::optional<Duration>& limit,
                               Time now) const {
  if (span.until && *span.until <= now)
    return fmt::format("{} ended at {}", span.file, format_time(*span.until));
  if (span.from > now)
    return fmt::format("{} begins at {} only", span.file, format_time(span.from));
  if (!limit) return "";
  if (gone_.contains(span.file)) return span.file + " is gone";
  const Duration age = age_of(span.file);
  if (age <= *limit) return "";
  return fmt::format("{} has not been written for {} s", span.file, age.count() / 1000);
}

void Steering::look_for_stale(Time now) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const std::string& name = around_.scenario.cluster.sites[i].name;
    std::string stale;
    for (const SignalSpan& span : around_.scenario.spans)
      if (stale.empty() && is_about(span, name, sites_.size()))
        stale = stale_of(span, around_.config.sites[i].stale_after, now);
    if (stale.empty() != sites_[i].stale.empty())
      say(now, name, "signals", stale.empty() ? "are fresh again" : "are stale: " + stale);
    sites_[i].stale = stale;
  }
}

/// One that only looks on leaves the cluster to whoever wants it.
void Steering::look_for_rivals(Time now) {
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Site& site = sites_[i];
    const bool acts = around_.config.fence.mode != Mode::shadow;
    const std::string rival = (acts ? site.claim.take() : site.claim.holder()).value_or("");
    const std::string& name = around_.scenario.cluster.sites[i].name;
    if (acts && !rival.empty() && rival != site.rival)
      say(now, name, "rival",
          "another penstock serve acts on this cluster, so this one only looks on: " + rival);
    if (acts && rival.empty() && !site.rival.empty())
      say(now, name, "rival", "the other penstock serve is gone; this one acts");
    site.rival = rival;
  }
}

void Steering::update_permissions(Time now) {
  for (std::size_t i = 0; i < sites_.size(); ++i) turn(i, now);
}

void Steering::turn(std::size_t index, Time now) {
  Site& site = sites_[index];
  const SiteId id{static_cast<std::uint32_t>(index)};
  const std::string& name = around_.scenario.cluster.sites[index].name;
  const bool shadow = around_.config.fence.mode == Mode::shadow;
  const auto why = why_not(id);
  if (!why) {
    if (site.open) say(now, name, "acting", "it holds new jobs again");
    site.idle_since.reset();
    site.open = false;
    if (!site.permissions.acts && backend_ != nullptr) backend_->wake_at(now);  // what was refused may be
    site.permissions = {.acts = true, .holds = true};
    return;
  }
  site.permissions.acts = false;
  if (!site.rival.empty()) {  // what is held is held for the other one
    site.permissions = {.acts = false, .holds = false, .releases = false};
    site.idle_since.reset();
    return;
  }
  site.permissions.releases = true;
  if (!site.idle_since) site.idle_since = now;
  const bool late = now - *site.idle_since >= around_.config.fail_open_after;
  if (!shadow && !site.open && late) {
    site.open = true;
    say(now, name, "failed open",
        fmt::format("for {} s nothing could be done ({}): jobs are left to Slurm's own scheduler",
                    around_.config.fail_open_after.count() / 1000, *why));
  }
  site.permissions.holds = !shadow && !site.open;
  if (site.permissions.holds || backend_ == nullptr || !backend_->site(index).answers()) return;
  if (now - site.last_let_go < kBetweenLettingGo) return;
  site.last_let_go = now;
  backend_->site(index).let_go(*why, now);
}

void Steering::beat(Time now) {
  next_beat_ = now + kBetweenBeats;
  if (!around_.config.heartbeat) return;
  const bool holds = std::ranges::any_of(sites_, [](const Site& s) { return s.permissions.holds; });
  const std::filesystem::path& path = *around_.config.heartbeat;
  std::error_code trouble;
  if (!holds) {
    std::filesystem::remove(path, trouble);
    return;
  }
  const std::filesystem::path fresh = path.string() + ".new";
  // By the system's clock: that is the one that readers have.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::ofstream(fresh) << seconds.time_since_epoch().count() << "\n";
  std::filesystem::rename(fresh, path, trouble);
}

void Steering::forget_old(Time now) {
  next_forget_ = now + kBetweenForgetting;
  if (auto done = around_.journal.forget_before(now - around_.config.retention); !done)
    log_line(now, "warning", "journal", "old entries stay: " + done.error().message);
}

namespace {

/// A reason, and whom it is about.
struct Held {
  std::string reason{};
  std::vector<std::string> sites{};

  bool names_its_site() const { return sites.size() == 1 && reason.starts_with(sites[0] + " "); }
};

}  // namespace

std::vector<std::string> joint_reasons(const std::vector<SiteReasons>& sites) {
  std::vector<Held> all;
  for (const SiteReasons& each : sites)
    for (const std::string& reason : each.reasons) {
      const auto same = std::ranges::find(all, reason, &Held::reason);
      Held& held = same == all.end() ? all.emplace_back(Held{reason, {}}) : *same;
      held.sites.push_back(each.site);
    }
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const Held& held : all)
    texts.push_back(held.sites.size() == sites.size() || held.names_its_site()
                        ? held.reason
                        : fmt::format("{}: {}", fmt::join(held.sites, ", "), held.reason));
  return texts;
}

}  // namespace penstock
