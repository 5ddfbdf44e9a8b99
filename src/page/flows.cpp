#include "page/flows.h"

#include <cmath>
#include <map>
#include <utility>

namespace penstock {
namespace {

double defined(float value) {
  return std::isnan(value) ? 0 : static_cast<double>(value);
}

}  // namespace

std::vector<JobFlow> flows_of(std::span<const StoredJob> jobs, std::span<const std::string> sites) {
  if (sites.size() < 2) return {};
  std::map<std::pair<std::string_view, std::uint32_t>, JobFlow> by_ends;
  for (const StoredJob& job : jobs) {
    if (job.home.empty()) continue;
    JobFlow& flow = by_ends[{job.home, job.site}];
    ++flow.jobs;
    flow.gigabytes += defined(job.sent_gb);
    flow.gpu_hours += defined(job.gpus_mean) * seconds(job.held) / 3600;
  }
  std::vector<JobFlow> flows;
  for (auto& [ends, flow] : by_ends) {
    flow.from = ends.first;
    flow.to = sites[ends.second];
    flows.push_back(std::move(flow));
  }
  return flows;
}

}  // namespace penstock
