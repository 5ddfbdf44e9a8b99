#include "bridge/reported_jobs.h"

#include <algorithm>
#include <functional>

namespace penstock::bridge {

bool ReportedJobs::is_changed(std::uint32_t job, std::string_view record) {
  const std::uint64_t print = std::hash<std::string_view>{}(record);
  const auto [at, is_new] = reported_.try_emplace(job);
  const bool is_other = is_new || at->second.print != print;
  at->second = {print, poll_};
  return is_other;
}

void ReportedJobs::report_again(std::uint32_t job) {
  const std::scoped_lock lock(mutex_);
  reported_[job].print.reset();
}

std::vector<std::uint32_t> ReportedJobs::end_poll() {
  std::vector<std::uint32_t> gone;
  std::erase_if(reported_, [&](const auto& each) {
    if (each.second.poll == poll_) return false;
    gone.push_back(each.first);
    return true;
  });
  std::ranges::sort(gone);
  return gone;
}

}  // namespace penstock::bridge
