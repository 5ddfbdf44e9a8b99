#include "serve/api/api_service.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "serve/api/journal_pages.h"

namespace penstock {
namespace {

constexpr auto kPageKept = std::chrono::milliseconds(200);
constexpr std::size_t kMostPagesKept = 64;

std::string cache_key(const ApiQuery& query) {
  std::string key = query.page + "\n" + query.id;
  for (const auto& [name, value] : query.parameters)
    key.append("\n").append(name).append("=").append(value);
  return key;
}

Duration longest_timeout(const ServeConfig& config) {
  Duration longest{};
  for (const SlurmSpec& site : config.sites) longest = std::max(longest, site.timeout);
  return longest;
}

}  // namespace

ApiService::ApiService(const ApiDependencies& needs)
    : needs_(needs),
      calls_(needs.backend, longest_timeout(needs.config)),
      sites_(needs_),
      jobs_(needs_),
      commands_(needs_, calls_) {}

ApiResponse ApiService::get(const ApiQuery& query) {
  if (query.page == "savings") return needs_.savings();
  const std::string key = cache_key(query);
  const auto now = std::chrono::steady_clock::now();
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(key);
    if (found != kept_.end() && now - found->second.made < kPageKept) return found->second.response;
  }
  ApiResponse response = make_page(query);
  const std::scoped_lock lock(mutex_);
  std::erase_if(kept_, [&](const auto& each) { return now - each.second.made >= kPageKept; });
  if (kept_.size() >= kMostPagesKept) kept_.clear();
  kept_[key] = {std::chrono::steady_clock::now(), response};
  return response;
}

ApiResponse ApiService::make_page(const ApiQuery& query) {
  if (query.page == "ended")  // of the journal alone: nobody need be interrupted
    return ended_page(needs_.config.journal, query, needs_.scenario.currency);
  if (query.page == "decisions") return decisions(query);
  return calls_.call([this, query](Time when, const SchedulerCalls::Respond& respond) {
    respond(present_page(query, when));
  });
}

ApiResponse ApiService::present_page(const ApiQuery& query, Time now) const {
  if (query.page == "state") return sites_.state(now);
  if (query.page == "ready") return sites_.ready(now);
  if (query.page == "sites") return sites_.sites(now);
  if (query.page == "history") return sites_.history();
  if (query.page == "jobs") return jobs_.jobs(query, now);
  if (query.page == "job") return jobs_.job(query, now);
  return api_error(404, "there is no such page");
}

/// The thread that schedules only says which job is meant. When it has, all that it decided before
/// is in the journal.
ApiResponse ApiService::decisions(const ApiQuery& query) {
  const auto about = std::make_shared<std::optional<NumberedJob>>();
  ApiResponse found = calls_.call([this, about, id = text_parameter(query, "job")](
                                      Time /*now*/, const SchedulerCalls::Respond& respond) {
    if (id.empty()) return respond({});
    const JobFinder finder(needs_.backend, needs_.journal);
    const auto job = finder.find(id);
    if (!job) return respond(api_error(404, job.error().message));
    const SlurmSite& site = needs_.backend.site(job->site);
    about->emplace(site.options().name, job_number(site, job->ref));
    respond({});
  });
  if (found.status != 200) return found;
  return decisions_page(needs_.config.journal, query, *about);
}

}  // namespace penstock
