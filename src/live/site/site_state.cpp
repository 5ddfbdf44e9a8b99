#include "live/site/site_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "live/job/job_from_slurm.h"

namespace penstock {

void EventOutbox::submit(Job job) {
  events_.emplace_back(JobSubmitted{job.id});
  submitted_.push_back(std::move(job));
}

void EventOutbox::move_into(Batch& batch) {
  ++batch_;
  batch.events.insert(batch.events.end(), events_.begin(), events_.end());
  std::ranges::move(submitted_, std::back_inserter(batch.submitted));
  events_.clear();
  submitted_.clear();
  to_compare_.merge(held_back_);
  held_back_.clear();
}

void SiteJournal::note(Time now, const std::string& what, const nlohmann::json& detail) {
  notes_.push_back(
      {.when = now,
       .site = site_,
       .what = what,
       .detail = detail.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

void SiteJournal::note(Time now, const TrackedJob& job, const std::string& what,
                       const nlohmann::json& detail) {
  note(now, what, detail);
  notes_.back().job = job.seen.number;
}

SlurmSiteState::SlurmSiteState(SiteOptions site_options, const Context& site_context)
    : options(std::move(site_options)),
      context(site_context),
      mirror(context.cluster, options.site, options.nodes),
      journal(options.name) {}

std::variant<Job, std::string> SlurmSiteState::govern(TrackedJob& job) const {
  if (auto why = why_not_governed(job.seen, options)) return *std::move(why);
  return job_from_slurm(job, options, context.cluster, context.beliefs);
}

std::optional<std::string> why_not_governed(const SlurmJob& job, const SiteOptions& options) {
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  if (!in(options.partitions, job.partition))
    return fmt::format("its partition '{}' is not governed; governed are: {}", job.partition,
                       fmt::join(options.partitions, " "));
  if (!in(options.users, job.user))
    return fmt::format("its user '{}' is not one of fence.users", job.user);
  return std::nullopt;
}

}  // namespace penstock
