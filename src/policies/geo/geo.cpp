#include "policies/geo/geo.h"

#include <algorithm>
#include <set>
#include <variant>

namespace penstock {
namespace {

double gpu_hours(const JobState& job) {
  return job.job.gpus * seconds(job.remaining_request()) / 3600;
}

}  // namespace

Geo::Geo(const Cluster& cluster, std::unique_ptr<Router> router,
         std::vector<std::unique_ptr<Branch>> branches)
    : cluster_(cluster),
      router_(std::move(router)),
      branches_(std::move(branches)),
      coming_(branches_.size()),
      news_(branches_.size()) {}

Decision Geo::decide(const View& view) {
  Decision decision;
  take_back(view);
  for (const Event& event : view.happened) std::visit([&](const auto& e) { on(e, view); }, event);
  if (site_failed_) take_back_lost(view);
  const bool asked = router_again_ && *router_again_ <= view.now;
  if (!waiting_.empty() && (!view.happened.empty() || asked)) route(view, decision);
  if (waiting_.empty()) router_again_.reset();
  decision.ask_again = router_again_;
  for (const auto& branch : branches_) {
    if (branch->is_due(view.now)) branch->decide(view, decision);
    if (const auto again = branch->ask_again())
      decision.ask_again = std::min(decision.ask_again.value_or(*again), *again);
  }
  if (view.explain) say_why_there(view, decision);
  return decision;
}

void Geo::on(const JobSubmitted& e, const View& view) {
  if (!view.state.job(e.job).job.parents.empty()) return;  // it will be told as ready
  waiting_.push_back(e.job);
  ++fresh_;
}

void Geo::on(const JobReady& e, const View& /*view*/) {
  waiting_.push_back(e.job);
  ++fresh_;
}

void Geo::on(const JobFinished& e, const View& view) {
  branches_[site_of_.at(e.job.index).index]->hear(e, view.now);
  site_of_.erase(e.job.index);
}

void Geo::on(const JobInterrupted& e, const View& view) {
  branches_[site_of_.at(e.job.index).index]->hear(e, view.now);
}

void Geo::on(const NodeFailed& e, const View& view) {
  Branch& branch = branch_of(e.node);
  branch.hear(e, view.now);
  site_failed_ = site_failed_ || branch.is_down();
}

void Geo::on(const NodeRepaired& e, const View& view) {
  branch_of(e.node).hear(e, view.now);
}

void Geo::on(const JobArrived& e, const View& view) {
  const JobState& job = view.state.job(e.job);
  stop_expecting(job, job.at);
  branches_[job.at.index]->accept(job);
  site_failed_ = site_failed_ || branches_[job.at.index]->is_down();
}

void Geo::on(const JobWithdrawn& e, const View& view) {
  why_there_.erase(e.job);
  forget_waiting(e.job);
  if (const SiteId* site = site_of_.find(e.job.index)) {
    branches_[site->index]->give_up(e.job, view.now);
    site_of_.erase(e.job.index);
  }
}

void Geo::on(const JobStarted& e, const View& view) {
  const SiteId here = view.state.site_of(e.where);
  forget_waiting(e.job);
  why_there_.erase(e.job);
  SiteId* site = site_of_.find(e.job.index);
  if (site != nullptr && *site != here) branches_[site->index]->give_up(e.job, view.now);
  if (site == nullptr || *site != here) branches_[here.index]->accept_before(e, view);
  if (site == nullptr)
    site_of_.insert(e.job.index, here);
  else
    *site = here;
  branches_[here.index]->hear(e, view.now);
}

void Geo::on(const JobMeasured& e, const View& view) {
  if (const SiteId* site = site_of_.find(e.job.index)) branches_[site->index]->hear(e, view);
}

void Geo::forget_waiting(JobId job) {
  const auto found = std::ranges::find(waiting_, job);
  if (found == waiting_.end()) return;
  const auto unseen = static_cast<std::size_t>(waiting_.end() - found);
  if (unseen <= fresh_) --fresh_;
  waiting_.erase(found);
  router_->forget(job);
}

void Geo::take_back(const View& view) {
  for (const Event& event : view.happened) {
    const auto* refused = std::get_if<Refused>(&event);
    if (refused == nullptr) continue;
    const auto* sent = std::get_if<Route>(&refused->action);
    if (sent == nullptr) continue;
    const JobState& job = view.state.job(sent->job);
    stop_expecting(job, sent->to);
    site_of_.erase(sent->job.index);
    waiting_.push_back(sent->job);
    ++fresh_;
  }
  for (const auto& branch : branches_) branch->take_back(view);
}

void Geo::take_back_lost(const View& view) {
  site_failed_ = false;
  for (const auto& branch : branches_) {
    if (!branch->is_down()) continue;
    for (const JobId job : branch->give_up_queue(view.now)) {
      site_of_.erase(job.index);
      waiting_.push_back(job);
      ++fresh_;
    }
  }
}

void Geo::expect(const JobState& job, SiteId site) {
  Coming& coming = coming_[site.index];
  ++coming.jobs;
  coming.gpus += job.job.gpus;
  coming.gpu_hours += gpu_hours(job);
}

void Geo::stop_expecting(const JobState& job, SiteId site) {
  Coming& coming = coming_[site.index];
  --coming.jobs;
  coming.gpus -= job.job.gpus;
  coming.gpu_hours = coming.jobs == 0 ? 0 : coming.gpu_hours - gpu_hours(job);
}

void Geo::publish(Time now) {
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    news_[i] = branches_[i]->news(now);
    news_[i].claimed += coming_[i].gpus;
    news_[i].waiting += coming_[i].jobs;
    news_[i].waiting_gpu_hours += coming_[i].gpu_hours;
  }
}

void Geo::route(const View& view, Decision& decision) {
  publish(view.now);
  Routing routing = router_->route({.now = view.now,
                                    .waiting = waiting_,
                                    .fresh = fresh_,
                                    .sites = news_,
                                    .state = view.state,
                                    .models = view.models,
                                    .outlook = view.outlook,
                                    .held_ahead =
                                        [this, now = view.now](SiteId site, const Steps& steps) {
                                          return branches_[site.index]->held_ahead(now, steps);
                                        },
                                    .explain = view.explain});
  fresh_ = 0;
  router_again_ = routing.ask_again;
  decision.reason = routing.reason;
  hear_router(routing, decision);
  for (const SentJob& sent : routing.sent)  // it may remember a job that was started by others
    if (site_of_.find(sent.job.index) == nullptr) send(sent, view, decision);
  std::erase_if(waiting_, [&](JobId job) { return site_of_.find(job.index) != nullptr; });
}

void Geo::send(const SentJob& sent, const View& view, Decision& decision) {
  const JobState& job = view.state.job(sent.job);
  site_of_.insert(sent.job.index, sent.site);
  if (job.at == kNoSite || job.at == sent.site) return branches_[sent.site.index]->accept(job);
  decision.actions.emplace_back(Route{sent.job, sent.site});
  expect(job, sent.site);
}

void Geo::hear_router(Routing& routing, Decision& decision) {
  for (JobReason& each : routing.because) {
    if (std::ranges::find(routing.sent, each.job, &SentJob::job) == routing.sent.end()) {
      decision.because.push_back(std::move(each));
      continue;
    }
    sent_.push_back(each.job);
    why_there_.insert_or_assign(each.job, std::move(each.text));
  }
}

void Geo::say_why_there(const View& view, Decision& decision) {
  std::set<JobId> told;
  for (JobReason& each : decision.because) {
    const auto there = why_there_.find(each.job);
    if (there != why_there_.end() && told.insert(each.job).second)
      each.text = there->second + "; " + each.text;
  }
  for (const JobId job : sent_) {
    const auto there = why_there_.find(job);
    if (told.contains(job) || there == why_there_.end()) continue;
    const bool is_there =
        view.state.job(job).at == kNoSite || view.state.job(job).at == site_of_.at(job.index);
    decision.because.push_back(
        {job, there->second + (is_there ? "; waits for its turn there" : "")});
  }
  sent_.clear();
  for (const Action& action : decision.actions)
    if (const auto* start = std::get_if<Start>(&action)) why_there_.erase(start->job);
}

}  // namespace penstock
