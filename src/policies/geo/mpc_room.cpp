#include "policies/geo/mpc_room.h"

#include <algorithm>
#include <cmath>

namespace penstock {

namespace {

/// GPU-hours that jobs at a site wait for, without those whose files are not there yet.
double queued(const SiteNews& news, std::uint32_t site, std::span<const MpcComing> coming) {
  double queue = news.waiting_gpu_hours;
  for (const MpcComing& job : coming)
    if (job.demand.site.index == site) queue -= job.demand.gpus * job.demand.run;
  return std::max(0.0, queue);
}

}  // namespace

void MpcRoom::refresh(const RouterView& view, const Steps& steps,
                      std::span<const MpcComing> coming) {
  step_ = seconds(steps.length) / 3600;
  const double rest = seconds(steps.begin + steps.length - view.now) / 3600;  // of the first step
  free_.assign(view.sites.size(), std::vector<double>(steps.count, 0.0));
  for (std::uint32_t s = 0; s < view.sites.size(); ++s) {
    const SiteNews& news = view.sites[s];
    std::vector<double> held(steps.count, 0.0);
    if (view.held_ahead) held = view.held_ahead(SiteId{s}, steps);
    double queue = queued(news, s, coming);
    for (std::uint32_t i = 0; i < steps.count; ++i) {
      const double ahead = i == 0 ? rest : step_;
      const double open = std::max(0.0, news.gpus - held[i]);
      const double taken = std::min(open, queue / ahead);
      queue -= taken * ahead;
      free_[s][i] = open - taken;
    }
  }
  for (const MpcComing& job : coming)
    book(job.demand, std::max(0.0, seconds(job.there - steps.begin) / 3600));
}

bool MpcRoom::fits(const MpcDemand& demand, double start, bool skips_first) const {
  const std::vector<double>& free = free_[demand.site.index];
  const double end = start + demand.run;
  for (auto i = static_cast<std::size_t>(start / step_) + (skips_first ? 1 : 0);
       i < free.size() && step_ * static_cast<double>(i) < end; ++i) {
    const double from = std::max(start, step_ * static_cast<double>(i));
    const double part = (std::min(end, step_ * static_cast<double>(i + 1)) - from) / step_;
    if (free[i] < demand.gpus * std::min(1.0, part)) return false;
  }
  return true;
}

void MpcRoom::book(const MpcDemand& demand, double start) {
  change(demand, start, -1);
}

void MpcRoom::release(const MpcDemand& demand, double start) {
  change(demand, start, 1);
}

void MpcRoom::change(const MpcDemand& demand, double start, double sign) {
  std::vector<double>& free = free_[demand.site.index];
  const double end = start + demand.run;
  for (auto i = static_cast<std::size_t>(start / step_);
       i < free.size() && step_ * static_cast<double>(i) < end; ++i) {
    const double from = std::max(start, step_ * static_cast<double>(i));
    const double until = std::min(end, step_ * static_cast<double>(i + 1));
    free[i] += sign * demand.gpus * (until - from) / step_;
  }
}

}  // namespace penstock
