#include "serve/control/wait_reasons.h"

#include <set>
#include <variant>

#include "model/job_label.h"

namespace penstock {
namespace {

std::string with_names(const std::string& text, const State& state) {
  return with_job_names(text, [&](JobId job) {
    const JobState* known = state.find(job);
    return known == nullptr ? std::string() : known->job.name;
  });
}

void append(std::string& all, const std::string& text) {
  if (!all.empty()) all += "; ";
  all += text;
}

}  // namespace

Reasons reasons_of(const Decision& decision, const std::string& policy, const State& state) {
  Reasons reasons{.general = policy};
  if (!decision.reason.empty()) reasons.general += ": " + decision.reason;
  std::set<JobId> acted_on;
  for (const Action& action : decision.actions)
    if (const auto job = job_in(action)) acted_on.insert(*job);
  for (const JobReason& each : decision.because)
    if (acted_on.contains(each.job))
      append(reasons.of_jobs[each.job], with_names(each.text, state));
  for (auto& [job, text] : reasons.of_jobs) text.insert(0, policy + ": ");
  return reasons;
}

void WaitReasons::update(const Batch& batch) {
  for (const Event& event : batch.events) {
    if (const auto* e = std::get_if<JobStarted>(&event)) reasons_.erase(e->job);
    if (const auto* e = std::get_if<JobFinished>(&event)) reasons_.erase(e->job);
    if (const auto* e = std::get_if<JobWithdrawn>(&event)) reasons_.erase(e->job);
  }
}

void WaitReasons::update(Time now, const Decision& decision, const State& state) {
  std::set<JobId> anew;
  for (const JobReason& each : decision.because) {
    Reason& reason = reasons_[each.job];
    if (anew.insert(each.job).second) reason = {.when = now};
    append(reason.text, with_names(each.text, state));
  }
  for (const Action& action : decision.actions)
    if (const auto job = job_in(action)) reasons_.erase(*job);
}

const WaitReasons::Reason* WaitReasons::find(JobId job) const {
  const auto found = reasons_.find(job);
  return found == reasons_.end() ? nullptr : &found->second;
}

}  // namespace penstock
