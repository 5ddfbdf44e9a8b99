#include "serve/api/api_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "serve/api/api.h"
#include "serve/api/journal_pages.h"
#include "serve/control/activation_control.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kKept = std::chrono::milliseconds(200);
constexpr std::size_t kMostKept = 64;

std::string key_of(const ApiLook& look) {
  std::string key = look.page + "\n" + look.id;
  for (const auto& [name, value] : look.parameters)
    key.append("\n").append(name).append("=").append(value);
  return key;
}

}  // namespace

/// The one who asks may have gone away before the answer comes: both share the errand.
ApiAnswer Desk::ask(const Work& work, std::chrono::milliseconds patience) {
  const auto errand = std::make_shared<Errand>();
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return api_error(503, "the daemon is stopping");
    errands_.insert(errand);
  }
  around_.backend.later([errand, work](Time now) {
    if (errand->begin()) work(now, [errand](ApiAnswer answer) { errand->give(std::move(answer)); });
  });
  ApiAnswer answer = errand->wait({.to_begin = kPatience, .to_end = patience});
  const std::scoped_lock lock(mutex_);
  errands_.erase(errand);
  return answer;
}

/// The bridge is given up when its patience is over, and that is then the answer.
ApiAnswer Desk::ask_cluster(const Work& work) {
  Duration longest{};
  for (const SlurmSpec& site : around_.config.sites) longest = std::max(longest, site.patience);
  return ask(work, longest + kPatience);
}

void Desk::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  for (const auto& errand : errands_)
    errand->give(api_error(504, "the daemon is stopping; it may have been done"));
}

ApiAnswer Desk::look(const ApiLook& look) {
  if (look.page == "savings") return around_.savings();
  const std::string key = key_of(look);
  const auto now = std::chrono::steady_clock::now();
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(key);
    if (found != kept_.end() && now - found->second.made < kKept) return found->second.answer;
  }
  ApiAnswer answer =
      look.page == "ended"  // of the journal alone: nobody need be interrupted
          ? ended_page(around_.config.journal, look, around_.scenario.currency)
          : look.page == "decisions"
                ? decisions(look)
                : ask([this, look](Time when, const Give& give) { give(page(look, when)); });
  const std::scoped_lock lock(mutex_);
  std::erase_if(kept_, [&](const auto& each) { return now - each.second.made >= kKept; });
  if (kept_.size() >= kMostKept) kept_.clear();
  kept_[key] = {std::chrono::steady_clock::now(), answer};
  return answer;
}

ApiAnswer Desk::page(const ApiLook& look, Time now) {
  if (look.page == "state") return state(now);
  if (look.page == "ready") return ready(now);
  if (look.page == "sites") return sites(now);
  if (look.page == "history") return history();
  if (look.page == "jobs") return jobs(look, now);
  if (look.page == "job") return job(look, now);
  return api_error(404, "there is no such page");
}

/// The thread that schedules only says which job is meant. When it has, all that it decided before
/// is in the journal.
ApiAnswer Desk::decisions(const ApiLook& look) {
  const auto about = std::make_shared<std::optional<NumberedJob>>();
  ApiAnswer found = ask([this, about, id = text_in(look, "job")](Time /*now*/, const Give& give) {
    if (id.empty()) return give({});
    const auto job = find(id);
    if (!job) return give(api_error(404, job.error().message));
    const SlurmSite& site = around_.backend.site(job->site);
    about->emplace(site.options().name, number_of(site, job->ref));
    give({});
  });
  if (found.status != 200) return found;
  return decisions_page(around_.config.journal, look, *about);
}

std::vector<std::string> Desk::why_not() const {
  std::vector<SiteReasons> sites;
  sites.reserve(around_.backend.sites());
  for (std::size_t i = 0; i < around_.backend.sites(); ++i)
    sites.push_back({around_.backend.site(i).options().name,
                     around_.steering.reasons(SiteId{static_cast<std::uint32_t>(i)})});
  return joint_reasons(sites);
}

ApiAnswer Desk::state(Time now) const {
  std::uint64_t queued = 0;
  std::uint64_t running = 0;
  ordered_json sites = ordered_json::array();
  bool acting = false;
  for (std::size_t i = 0; i < around_.backend.sites(); ++i) {
    const SlurmSite& site = around_.backend.site(i);
    sites.push_back(site.options().name);
    const SiteId id{static_cast<std::uint32_t>(i)};
    acting = acting || around_.steering.permissions(id).acts;
    for (const auto& [ref, job] : site.jobs())
      ++(job.seen.phase == SlurmJob::Phase::running ? running : queued);
  }
  return as_answer(
      {{"version", around_.version},
       {"mode", name_of(around_.config.fence.mode)},
       {"policy", {{"name", around_.policy.name}, {"options", around_.policy.options}}},
       {"since", format_time(around_.since)},
       {"now", format_time(now)},
       {"acting", acting},
       {"paused", around_.steering.paused().has_value()},
       {"why_not", why_not()},
       {"jobs",
        {{"queued", queued}, {"running", running}, {"ended", around_.watcher.counts().ended}}},
       {"sites", sites},
       {"decisions", around_.watcher.counts().decisions},
       {"last_event", around_.feed.last_id()}});
}

ApiAnswer Desk::ready(Time now) const {
  std::vector<std::string> reasons = why_not();
  std::erase(reasons, "the mode is shadow");
  return as_answer({{"ready", reasons.empty()}, {"why_not", reasons}, {"now", format_time(now)}},
                   reasons.empty() ? 200 : 503);
}

}  // namespace penstock
