#include "io/traces/origins.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

constexpr double kNightShare = 0.25;
constexpr double kMostGb = 1e6;

/// The hour of the day that a clock shows.
double local_hour(Time t, const LocalClock& clock) {
  const double hours = seconds(t.time_since_epoch()) / 3600 + seconds(clock.ahead_at(t)) / 3600;
  return hours - 24 * std::floor(hours / 24);
}

/// Which of several weights is drawn; the last that weighs anything if rounding says none.
std::size_t pick(const std::vector<double>& weights, Rng& rng) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  double left = rng.uniform() * sum;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return last;
}

}  // namespace

double office_hours(double hour) {
  if (hour < 6 || hour >= 22) return kNightShare;
  if (hour < 9) return kNightShare + (1 - kNightShare) * (hour - 6) / 3;
  if (hour < 18) return 1;
  return 1 - (1 - kNightShare) * (hour - 18) / 4;
}

Origins::Origins(const OriginSpec& spec, const Cluster& cluster)
    : spec_(spec), rng_(Rng(spec.seed).stream("origins")), gpus_(cluster.sites.size()) {
  spec_.sites.resize(cluster.sites.size());
  for (const Node& node : cluster.nodes)
    gpus_[node.site.index][node.type.index] += node.gpus / cluster.share;
}

bool Origins::could_run(const Job& job, std::uint32_t site) const {
  return std::ranges::any_of(gpus_[site], [&](const auto& pool) {
    return (job.gpu_types >> pool.first & 1) != 0 && pool.second >= job.gpus;
  });
}

SiteId Origins::draw_home(const Job& job, Rng& rng) const {
  std::vector<double> weights(spec_.sites.size(), 0);
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    const OriginSpec::Place& place = spec_.sites[i];
    if (!could_run(job, i)) continue;
    weights[i] = place.weight;
    if (spec_.by_hour) weights[i] *= office_hours(local_hour(job.submitted, place.clock));
  }
  const std::size_t home = pick(weights, rng);
  return weights[home] > 0 ? SiteId{static_cast<std::uint32_t>(home)} : kNoSite;
}

double Origins::draw_slack(Rng& rng) const {
  if (spec_.slack_range) {
    const auto [low, high] = *spec_.slack_range;
    return low + (high - low) * rng.uniform();
  }
  std::vector<double> weights;
  weights.reserve(spec_.slacks.size());
  for (const OriginSpec::Slack& slack : spec_.slacks) weights.push_back(slack.weight);
  return spec_.slacks[pick(weights, rng)].factor;
}

void Origins::give(TracedJob& traced) const {
  Job& job = traced.job;
  // By its number in the whole trace: a part of it draws what the whole does.
  const Rng own = rng_.stream(spec_.skip + job.id.index);
  Rng home = own.stream("home");
  Rng files = own.stream("files");
  Rng slack = own.stream("slack");
  job.home = draw_home(job, home);
  const double gb = spec_.files_gb * std::exp(files.normal(0, spec_.files_sigma));
  job.files_gb = static_cast<float>(std::min(gb, kMostGb));
  job.checkpoint_gb =
      static_cast<float>(spec_.checkpoint_gb + spec_.checkpoint_gb_per_gpu * job.gpus);
  if (job.deadline || (!spec_.slack_range && spec_.slacks.empty())) return;
  job.deadline = job.submitted + ceil_duration(draw_slack(slack) * seconds(job.requested));
}

}  // namespace penstock
