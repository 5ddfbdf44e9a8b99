#include "live/fence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/event.h"

namespace penstock {
namespace {

const Placement* place_in(const Action& action) {
  if (const auto* a = std::get_if<Start>(&action)) return &a->where;
  if (const auto* a = std::get_if<Resize>(&action)) return &a->where;
  if (const auto* a = std::get_if<Migrate>(&action)) return &a->where;
  return nullptr;
}

}  // namespace

std::string_view name_of(Mode mode) {
  static constexpr std::array<std::string_view, 3> kNames{"shadow", "fenced", "live"};
  return kNames[static_cast<std::size_t>(mode)];
}

bool is_within(const std::vector<DayHours>& hours, Time now) {
  if (hours.empty()) return true;
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const auto minute =
      static_cast<int>(std::chrono::duration_cast<std::chrono::minutes>(now - day).count());
  return std::ranges::any_of(hours, [&](const DayHours& each) {
    if (each.from <= each.until) return minute >= each.from && minute < each.until;
    return minute >= each.from || minute < each.until;
  });
}

std::optional<std::string> LiveFence::refuses(const Action& action, const State& /*state*/) {
  if (auto reason = impossible(action)) return reason;
  if (options_.mode == Mode::shadow) return "in shadow mode nothing is done";
  if (auto reason = why_not_(site_of(action))) return reason;
  if (auto reason = wrong_shape(action)) return reason;
  return beyond_limits();
}

SiteId LiveFence::site_of(const Action& action) const {
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.where; })
          return cluster_.node(a.where.front().first).site;
        else if constexpr (requires { a.job; })
          return backend_.site_of(a.job)->options().site;
        else
          return cluster_.node(a.node).site;
      },
      action);
}

std::optional<std::string> LiveFence::impossible(const Action& action) const {
  if (std::holds_alternative<Route>(action)) return "a job that a cluster has taken stays there";
  if (std::holds_alternative<SetBatch>(action)) return "batch sizes of live jobs are their own";
  const auto job = job_in(action);
  if (!job) return std::nullopt;
  if (const PooledJob* pooled = backend_.pool().find(*job)) {
    if (!std::holds_alternative<Start>(action) || pooled->at) return "it is being submitted";
    return impossible_at(backend_.site(site_of(action).index), action);
  }
  const SlurmSite* site = backend_.site_of(*job);
  if (site == nullptr) return "it is not a job of ours";
  if (std::holds_alternative<Start>(action))
    if (auto reason = site->why_not_start(*job)) return reason;
  return impossible_at(*site, action);
}

std::optional<std::string> LiveFence::impossible_at(const SlurmSite& site,
                                                    const Action& action) const {
  if (!site.answers())
    return fmt::format("{} does not answer: {}", site.options().name, site.last_error());
  const Placement* where = place_in(action);
  if (where != nullptr && !even_share(*where, cluster_, site.mirror()))
    return "Slurm gives a job the same number of GPUs on each of its nodes; possible: place = "
           "\"consolidate\"";
  return std::nullopt;
}

/// A job that runs as asked keeps its shape: Slurm finds it a place that the policy does not.
std::optional<std::string> LiveFence::wrong_shape(const Action& action) {
  const auto job = job_in(action);
  const Placement* where = place_in(action);
  SlurmSite* site = job && where != nullptr ? backend_.site_of(*job) : nullptr;
  if (site == nullptr) return std::nullopt;
  auto reason = site->why_not_shaped(*job, *where);
  if (reason && std::holds_alternative<Start>(action)) site->hand_over(*job, *reason, clock_.now());
  return reason;
}

std::optional<std::string> LiveFence::beyond_limits() {
  if (options_.mode != Mode::fenced) return std::nullopt;
  const Time now = clock_.now();
  if (!options_.actions_per_minute) return std::nullopt;
  while (!lately_.empty() && now - lately_.front() >= std::chrono::minutes(1)) lately_.pop_front();
  if (lately_.size() < *options_.actions_per_minute) {
    lately_.push_back(now);
    return std::nullopt;
  }
  backend_.wake_at(lately_.front() + std::chrono::minutes(1));
  return fmt::format("{} actions were done within a minute, and no more may be",
                     *options_.actions_per_minute);
}

}  // namespace penstock
