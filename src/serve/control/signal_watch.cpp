#include "serve/control/signal_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "journal/log.h"

namespace penstock {
namespace {

std::optional<std::filesystem::file_time_type> write_time_of(const std::string& file) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  if (error) return std::nullopt;
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

void announce(SlurmBackend& backend, Time now, const std::string& site, const std::string& what,
              const std::string& text) {
  log_line(now, "info", what, site.empty() ? text : site + ": " + text);
  const nlohmann::json detail{{"text", text}};
  backend.note({.when = now,
                .site = site,
                .what = what,
                .detail = detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

SignalWatch::SignalWatch(Dependencies needs)
    : needs_(std::move(needs)), problems_(needs_.scenario.cluster.sites.size()) {
  for (const SignalSpan& span : needs_.scenario.spans)
    if (const auto written = write_time_of(span.file)) files_[span.file] = *written;
}

bool SignalWatch::check(Time now) {
  const bool replaced = reload_changed(now);
  check_sites(now);
  return replaced;
}

bool SignalWatch::any_changed(Time now) {
  bool changed = false;
  for (auto& [file, before] : files_) {
    const auto written = write_time_of(file);
    if (!written && missing_.insert(file).second)
      announce(needs_.backend, now, "", "signals", file + " is gone; what was read of it holds");
    if (!written) continue;
    if (missing_.erase(file) == 0 && *written == before) continue;
    before = *written;
    changed = true;
  }
  return changed;
}

bool SignalWatch::reload_changed(Time now) {
  if (!any_changed(now) && reload_problem_.empty()) return false;
  // After a failure unchanged files are read too: they may only have been unreadable.
  auto fresh = needs_.reload();
  if (!fresh) {
    if (reload_problem_ != fresh.error().message)
      announce(needs_.backend, now, "", "signals",
               "cannot be read again, the old ones hold: " + fresh.error().message);
    reload_problem_ = fresh.error().message;
    return false;
  }
  reload_problem_.clear();
  // In place: the engine looks at these very elements.
  std::ranges::move(fresh->signals, needs_.scenario.signals.begin());
  std::ranges::move(fresh->forecasts, needs_.scenario.forecasts.begin());
  needs_.scenario.spans = std::move(fresh->spans);
  announce(needs_.backend, now, "", "signals", "were read again");
  return true;
}

/// Empty if the series tells about this moment and is fresh enough.
std::string SignalWatch::problem_of(const SignalSpan& span, const std::optional<Duration>& limit,
                                    Time now) const {
  if (span.until && *span.until <= now)
    return fmt::format("{} ended at {}", span.file, format_time(*span.until));
  if (span.from > now)
    return fmt::format("{} begins at {} only", span.file, format_time(span.from));
  if (!limit) return "";
  if (missing_.contains(span.file)) return span.file + " is gone";
  const Duration age = age_of(span.file);
  if (age <= *limit) return "";
  return fmt::format("{} has not been written for {} s", span.file, age.count() / 1000);
}

void SignalWatch::check_sites(Time now) {
  for (std::size_t i = 0; i < problems_.size(); ++i) {
    const std::string& name = needs_.scenario.cluster.sites[i].name;
    std::string problem;
    for (const SignalSpan& span : needs_.scenario.spans)
      if (problem.empty() && is_about(span, name, problems_.size()))
        problem = problem_of(span, needs_.config.sites[i].stale_after, now);
    if (problem.empty() != problems_[i].empty())
      announce(needs_.backend, now, name, "signals",
               problem.empty() ? "are fresh again" : "are stale: " + problem);
    problems_[i] = problem;
  }
}

}  // namespace penstock
