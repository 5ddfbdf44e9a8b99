#include "serve/api/job_changes.h"

#include <functional>
#include <initializer_list>
#include <utility>

namespace penstock {
namespace {

std::size_t number_of(const std::optional<Time>& when) {
  return when ? static_cast<std::size_t>(when->time_since_epoch().count()) : 1;
}

std::size_t print_of(const TrackedJob& job) {
  std::size_t print = 0;
  for (const std::size_t part :
       {static_cast<std::size_t>(job.seen.phase), static_cast<std::size_t>(job.op.kind),
        static_cast<std::size_t>(job.gone), static_cast<std::size_t>(job.handed_over),
        static_cast<std::size_t>(job.seen.held), static_cast<std::size_t>(job.clock_mhz),
        static_cast<std::size_t>(job.seen.gpus_held_count()), number_of(job.seen.started),
        number_of(job.not_before), std::hash<std::string>{}(job.seen.reason)})
    print = print * 1'099'511'628'211U + part;
  return print;
}

}  // namespace

JobChanges::Changes JobChanges::update(const SlurmSite& site) {
  Changes changes;
  std::vector<Known> now;
  now.reserve(site.jobs().size());
  auto before = known_.begin();
  const auto pass_gone = [&](auto&& is_before) {
    for (; before != known_.end() && is_before(before->ref); ++before)
      changes.gone.push_back(std::move(before->ref));
  };
  for (const auto& [ref, job] : site.jobs()) {
    pass_gone([&](const std::string& known) { return known < ref; });
    const bool is_known = before != known_.end() && before->ref == ref;
    const std::size_t print = print_of(job);
    if (!is_known || before->print != print) changes.changed.push_back(&job);
    now.push_back({ref, print});
    if (is_known) ++before;
  }
  pass_gone([](const std::string&) { return true; });
  known_ = std::move(now);
  return std::exchange(looked_, true) ? changes : Changes{};
}

}  // namespace penstock
