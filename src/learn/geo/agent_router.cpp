#include "learn/geo/agent_router.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/check.h"
#include "learn/geo/observation.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

constexpr double kWorthIt = 0.02;

std::size_t feature_named(std::string_view name) {
  const auto names = geo_item_features(default_geo_variant());
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

constexpr Duration kAgain = std::chrono::minutes(30);

}  // namespace

void NetSiteChooser::choose(const Windows& windows, std::vector<SiteChoice>& out) {
  net_.logits(windows, logits_);
  out.clear();
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Window window = windows[w];
    if (!now_.set(windows.of(w, std::span<const float>(logits_)), window.barred)) {
      const auto open = std::ranges::find(window.barred, 0);  // nonsense: any that may be
      out.push_back({static_cast<std::uint32_t>(open - window.barred.begin()), 0});
      continue;
    }
    const std::uint32_t item = chance_ ? now_.at(chance_->uniform()) : now_.best();
    out.push_back({item, now_.log_probability(item)});
  }
}

std::string NetSiteChooser::why(const SiteChoice& choice) const {
  return fmt::format("the network gives it {:.0f} %", 100 * std::exp(choice.log_probability));
}

std::string ThriftyChooser::why(const SiteChoice& /*choice*/) const {
  return "least predicted cost and carbon, of sites with room if any has";
}

void ThriftyChooser::choose(const Windows& windows, std::vector<SiteChoice>& out) {
  out.clear();
  for (std::size_t w = 0; w < windows.size(); ++w)
    out.push_back({choose(windows[w], windows.item_features()), 0});
}

std::uint32_t ThriftyChooser::choose(const Window& window, std::size_t features) const {
  static const std::size_t kRoom = feature_named("site.has_room");
  static const std::size_t kCost = feature_named("site.cost_over_best");
  static const std::size_t kWait = feature_named("site.wait_of_slack");
  static const std::size_t kGain = feature_named("wait.gain");
  const auto wait = static_cast<std::uint32_t>(window.barred.size() - 1);
  const auto feature = [&](std::size_t item, std::size_t which) {
    return double{window.items[item * features + which]};
  };
  using Rank = std::tuple<bool, double, double>;
  std::optional<Rank> best;
  std::uint32_t chosen = wait;
  for (std::uint32_t i = 0; i < wait; ++i) {
    if (window.barred[i] != 0) continue;
    const bool full = feature(i, kRoom) == 0;
    const Rank rank{full, full ? feature(i, kWait) : 0, feature(i, kCost)};
    if (best && *best <= rank) continue;
    best = rank;
    chosen = i;
  }
  const bool may_wait = waits_ && window.barred[wait] == 0;
  if (!best || !may_wait) return chosen;
  const double saved = feature(chosen, kCost) - feature(wait, kGain);
  return saved > kWorthIt ? wait : chosen;
}

AgentRouter::AgentRouter(const GeoRules& rules, std::unique_ptr<SiteChooser> chooser, AgentLog* log)
    : rules_(rules),
      observer_(rules),
      chooser_(std::move(chooser)),
      log_(log),
      window_(geo_shape(rules.variant).item_features, geo_shape(rules.variant).global_features) {}

Routing AgentRouter::route(const RouterView& view) {
  Routing routing;
  gather(view);
  if (!due_.empty()) {
    const bool inner_wanted = log_ != nullptr || rules_.variant.joint_actor;
    observer_.look(view, inner_wanted);
    news_.assign(view.sites.begin(), view.sites.end());
  }
  for (const JobId id : due_) decide(view.state.job(id), view, routing);
  if (!waiting_.empty()) routing.ask_again = waiting_.top().until;
  return routing;
}

/// Who is to be decided on now: those whose time has come, those who had nowhere to go, and those
/// who have just come.
void AgentRouter::gather(const RouterView& view) {
  held_.resize(view.sites.size());
  due_.clear();
  const auto still_here = [&](JobId id) {
    const JobState* job = view.state.find(id);
    return job != nullptr && job->phase == Phase::queued;
  };
  while (!waiting_.empty() && waiting_.top().until <= view.now) {
    const Waiting& top = waiting_.top();
    if (still_here(top.job)) due_.push_back(top.job);
    if (top.at != kNoSite) --held_[top.at.index].jobs;
    waiting_.pop();
  }
  for (const JobId id : stuck_)
    if (still_here(id)) due_.push_back(id);
  stuck_.clear();
  for (const JobId id : view.waiting.last(view.fresh)) due_.push_back(id);
}

void AgentRouter::decide(const JobState& job, const RouterView& view, Routing& routing) {
  if (!observer_.show(job, news_, held_)) {
    stuck_.push_back(job.job.id);
    return;
  }
  window_.clear();
  window_.add(observer_.window());
  chooser_->choose(window_, choice_);
  if (log_ != nullptr) {
    log_->windows.add(observer_.window());
    log_->steps.push_back({job.job.id, choice_.front()});
  }
  const std::uint32_t item = choice_.front().item;
  if (item == news_.size())
    hold(job, view.now);
  else
    send(job, SiteId{item}, view, routing);
  if (view.explain) routing.because.push_back({job.job.id, why(view)});
}

std::string AgentRouter::why(const RouterView& view) const {
  const SiteChoice& choice = choice_.front();
  if (choice.item == news_.size())
    return fmt::format("waits until {}: {}",
                       clock_label(std::min(observer_.latest(), view.now + kAgain), view.now),
                       chooser_->why(choice));
  return fmt::format("at {}: {}", view.state.cluster().sites[choice.item].name,
                     chooser_->why(choice));
}

void AgentRouter::send(const JobState& job, SiteId site, const RouterView& view, Routing& routing) {
  SiteNews& news = news_[site.index];
  news.claimed += job.job.gpus;
  ++news.waiting;
  news.waiting_gpu_hours += job.job.gpus * seconds(job.remaining_request()) / 3600;
  routing.sent.push_back({job.job.id, site});
  if (log_ == nullptr) return;
  const auto stay = stay_at(job, site, view.state.cluster(), view.models);
  PENSTOCK_CHECK(stay.has_value());
  log_->dispatches.push_back({job.job.id, view.now + stay->delay});
}

void AgentRouter::hold(const JobState& job, Time now) {
  PENSTOCK_CHECK(observer_.latest() > now);
  waiting_.push({.until = std::min(observer_.latest(), now + kAgain),
                 .order = order_++,
                 .job = job.job.id,
                 .at = job.at});
  if (job.at != kNoSite) ++held_[job.at.index].jobs;
}

}  // namespace penstock
