#include "learn/geo/agent_router.h"

#include <algorithm>

#include "base/check.h"

namespace penstock {
namespace {

constexpr Duration kAgain = std::chrono::minutes(30);

}  // namespace

AgentRouter::AgentRouter(const GeoRules& rules, std::unique_ptr<SiteChooser> chooser, Asking asking,
                         AgentNotes* notes)
    : rules_(rules),
      sight_(rules),
      chooser_(std::move(chooser)),
      asking_(asking),
      notes_(notes),
      windows_(geo_shape(rules.variant).item_features, geo_shape(rules.variant).global_features) {}

Routing AgentRouter::route(const RouterView& view) {
  Routing routing;
  gather(view);
  if (!due_.empty()) {
    const bool inner_wanted = notes_ != nullptr || rules_.variant.joint_actor;
    sight_.look(view, inner_wanted);
    news_.assign(view.sites.begin(), view.sites.end());
  }
  while (!due_.empty()) {
    show_due(view);
    if (windows_.size() > 0) chooser_->choose(windows_, choices_);
    for (std::size_t i = 0; i < shown_.size(); ++i)
      if (!settle(i, view, routing)) later_.push_back(shown_[i]);
    due_.swap(later_);
    later_.clear();
  }
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

void AgentRouter::show_due(const RouterView& view) {
  windows_.clear();
  shown_.clear();
  latest_.clear();
  had_room_.clear();
  for (const JobId id : due_) {
    const bool enough = asking_ == Asking::in_turn && !shown_.empty();
    if (enough) {
      later_.push_back(id);
      continue;
    }
    const JobState& job = view.state.job(id);
    if (!sight_.show(job, news_, held_)) {
      stuck_.push_back(id);
      continue;
    }
    windows_.add(sight_.window());
    shown_.push_back(id);
    latest_.push_back(sight_.latest());
    for (const SiteNews& site : news_) had_room_.push_back(site.room() >= job.job.gpus ? 1 : 0);
  }
}

/// False if the choice was made in the belief that there is room where there is none any more.
bool AgentRouter::settle(std::size_t shown, const RouterView& view, Routing& routing) {
  const JobState& job = view.state.job(shown_[shown]);
  const std::uint32_t item = choices_[shown].item;
  const bool waits = item == news_.size();
  if (!waits) {
    const bool had_room = had_room_[shown * news_.size() + item] != 0;
    if (had_room && news_[item].room() < job.job.gpus) return false;
  }
  if (notes_ != nullptr) {
    notes_->windows.add(windows_[shown]);
    notes_->steps.push_back({job.job.id, choices_[shown]});
  }
  if (waits)
    hold(job, latest_[shown], view);
  else
    send(job, SiteId{item}, view, routing);
  return true;
}

void AgentRouter::send(const JobState& job, SiteId site, const RouterView& view, Routing& routing) {
  SiteNews& news = news_[site.index];
  news.claimed += job.job.gpus;
  ++news.waiting;
  news.waiting_gpu_hours += job.job.gpus * seconds(job.remaining_request()) / 3600;
  routing.sent.push_back({job.job.id, site});
  if (notes_ == nullptr) return;
  const auto stay = stay_at(job, site, view.state.cluster(), view.models);
  PENSTOCK_CHECK(stay.has_value());
  notes_->sendings.push_back({job.job.id, view.now + stay->delay});
}

void AgentRouter::hold(const JobState& job, Time latest, const RouterView& view) {
  PENSTOCK_CHECK(latest > view.now);
  waiting_.push({.until = std::min(latest, view.now + kAgain),
                 .order = order_++,
                 .job = job.job.id,
                 .at = job.at});
  if (job.at != kNoSite) ++held_[job.at.index].jobs;
}

}  // namespace penstock
