#include "serve/api/job_finder.h"

#include <fmt/format.h>

#include <charconv>

#include "serve/api/pooled_job.h"

namespace penstock {

std::int64_t job_number(const SlurmSite& site, const std::string& ref) {
  if (const TrackedJob* job = site.find(ref)) return job->seen.number;
  std::int64_t number = 0;
  std::from_chars(ref.data(), ref.data() + ref.size(), number);
  return number;
}

Result<JobAt> JobFinder::find(const std::string& id) const {
  if (const auto number = parse_pool_id(id)) return find_placed(*number);
  const std::size_t slash = id.find('/');
  if (slash == std::string::npos) return find_anywhere(id);
  return find_at(std::string_view(id).substr(0, slash), id.substr(slash + 1));
}

Result<JobAt> JobFinder::find_at(std::string_view site, const std::string& ref) const {
  for (std::size_t i = 0; i < backend_.sites(); ++i)
    if (backend_.site(i).options().name == site) return JobAt{i, ref};
  return Error{fmt::format("there is no job '{}/{}'; possible: SITE/NUMBER", site, ref)};
}

Result<JobAt> JobFinder::find_anywhere(const std::string& ref) const {
  if (backend_.sites() == 1) return JobAt{0, ref};
  const auto sites = sites_of(ref);
  if (sites.size() == 1) return JobAt{sites.front(), ref};
  if (sites.empty()) return Error{fmt::format("there is no job '{}'; possible: SITE/NUMBER", ref)};
  std::string possible;
  for (const std::size_t i : sites)
    possible += fmt::format(" {}/{}", backend_.site(i).options().name, ref);
  return Error{fmt::format("several sites have a job '{}'; possible:{}", ref, possible)};
}

std::vector<std::size_t> JobFinder::sites_of(const std::string& ref) const {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < backend_.sites(); ++i)
    if (backend_.site(i).find(ref) != nullptr) shown.push_back(i);
  if (!shown.empty()) return shown;
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < backend_.sites(); ++i) {
    const SlurmSite& site = backend_.site(i);
    const auto entries = journal_.entries(site.options().name, job_number(site, ref));
    if (entries && !entries->empty()) written.push_back(i);
  }
  return written;
}

Result<JobAt> JobFinder::find_placed(std::int64_t pooled) const {
  if (const PooledJob* waits = backend_.pool().find(pooled))
    return Error{waits->at ? fmt::format("job 'pool/{}' is being submitted to {}; possible: to try "
                                         "again in a moment",
                                         pooled, *waits->at)
                           : fmt::format("job 'pool/{}' waits for a site", pooled)};
  const auto placed = find_placed_job(journal_, pooled);
  if (!placed) return placed.error();
  if (!*placed)
    return Error{fmt::format("there is no job 'pool/{}', and the journal knows of none", pooled)};
  return find_at((*placed)->site, std::to_string((*placed)->number));
}

}  // namespace penstock
