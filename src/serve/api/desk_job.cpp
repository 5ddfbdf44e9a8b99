// One job: which is meant, and its page.
#include <fmt/format.h>

#include <charconv>

#include "serve/api/api.h"
#include "serve/api/api_service.h"
#include "serve/api/job_view.h"
#include "serve/api/journal_pages.h"
#include "serve/api/pooled_job.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;

}  // namespace

Result<Desk::JobAt> Desk::find(const std::string& id) const {
  if (const auto number = pooled_in(id)) return find_placed(*number);
  const std::size_t slash = id.find('/');
  if (slash == std::string::npos) return find_anywhere(id);
  return find_at(std::string_view(id).substr(0, slash), id.substr(slash + 1));
}

Result<Desk::JobAt> Desk::find_at(std::string_view site, const std::string& ref) const {
  for (std::size_t i = 0; i < around_.backend.sites(); ++i)
    if (around_.backend.site(i).options().name == site) return JobAt{i, ref};
  return Error{fmt::format("there is no job '{}/{}'; possible: SITE/NUMBER", site, ref)};
}

Result<Desk::JobAt> Desk::find_anywhere(const std::string& ref) const {
  if (around_.backend.sites() == 1) return JobAt{0, ref};
  const auto sites = sites_of(ref);
  if (sites.size() == 1) return JobAt{sites.front(), ref};
  if (sites.empty()) return Error{fmt::format("there is no job '{}'; possible: SITE/NUMBER", ref)};
  std::string possible;
  for (const std::size_t i : sites)
    possible += fmt::format(" {}/{}", around_.backend.site(i).options().name, ref);
  return Error{fmt::format("several sites have a job '{}'; possible:{}", ref, possible)};
}

std::vector<std::size_t> Desk::sites_of(const std::string& ref) const {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < around_.backend.sites(); ++i)
    if (around_.backend.site(i).find(ref) != nullptr) shown.push_back(i);
  if (!shown.empty()) return shown;
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < around_.backend.sites(); ++i) {
    const SlurmSite& site = around_.backend.site(i);
    const auto entries = around_.journal.entries(site.options().name, number_of(site, ref));
    if (entries && !entries->empty()) written.push_back(i);
  }
  return written;
}

Result<Desk::JobAt> Desk::find_placed(std::int64_t pooled) const {
  if (const PooledJob* waits = around_.backend.pool().find(pooled))
    return Error{waits->at ? fmt::format("job 'pool/{}' is being submitted to {}; possible: to try "
                                         "again in a moment",
                                         pooled, *waits->at)
                           : fmt::format("job 'pool/{}' waits for a site", pooled)};
  const auto placed = placed_job(around_.journal, pooled);
  if (!placed) return placed.error();
  if (!*placed)
    return Error{fmt::format("there is no job 'pool/{}', and the journal knows of none", pooled)};
  return find_at((*placed)->site, std::to_string((*placed)->number));
}

/// Those that have ended are known by their numbers only.
std::int64_t Desk::number_of(const SlurmSite& site, const std::string& ref) {
  if (const TrackedJob* job = site.find(ref)) return job->seen.number;
  std::int64_t number = 0;
  std::from_chars(ref.data(), ref.data() + ref.size(), number);
  return number;
}

std::optional<ApiAnswer> Desk::pooled(std::int64_t number, Time now) const {
  const auto entries = around_.journal.pool_entries(number);
  if (!entries) return api_error(503, entries.error().message);
  const PooledJob* waits = around_.backend.pool().find(number);
  const bool taken_back = !entries->empty() && entries->back().what == "unpooled";
  if (waits == nullptr && !taken_back) return std::nullopt;
  const ordered_json over{{"id", fmt::format("pool/{}", number)}, {"state", "ended"}};
  return as_answer({{"job", waits != nullptr ? pooled_json(*waits, sight_at(now)) : over},
                    {"life", life_json(*entries, {})}});
}

ApiAnswer Desk::job(const ApiLook& look, Time now) const {
  if (const auto number = pooled_in(look.id))
    if (auto answer = pooled(*number, now)) return *std::move(answer);
  const auto found = find(look.id);
  if (!found) return api_error(404, found.error().message);
  const SlurmSite& site = around_.backend.site(found->site);
  const TrackedJob* job = site.find(found->ref);
  const std::int64_t number = number_of(site, found->ref);
  const auto life = life_json(around_.journal, site.options().name, number);
  if (!life) return api_error(503, life.error().message);
  if (job == nullptr && life->empty())
    return api_error(404, "there is no job '" + look.id + "', and the journal knows of none");
  if (job != nullptr && state_word(*job) != "ended")
    return as_answer({{"job", job_json(*job, site, sight_at(now))}, {"life", *life}});
  const auto ended = ended_entry(around_.journal, site.options().name, number);
  if (!ended) return api_error(503, ended.error().message);
  auto row = *ended ? ended_row(**ended, around_.scenario.currency) : std::nullopt;
  if (!row && job != nullptr) row = job_json(*job, site, sight_at(now));
  if (!row)
    row = ordered_json{{"id", site.options().name + "/" + found->ref},
                       {"site", site.options().name},
                       {"job", number},
                       {"ref", found->ref},
                       {"state", "ended"}};
  return as_answer({{"job", *row}, {"life", *life}});
}

}  // namespace penstock
