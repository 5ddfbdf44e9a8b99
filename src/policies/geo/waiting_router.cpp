#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policies/geo/routers.h"
#include "policy/policy_table.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

enum class Waits : std::uint8_t { cheapest, greenest };

constexpr Duration kWaitStep = std::chrono::minutes(30);  ///< between starts that are compared
constexpr Duration kAgain = std::chrono::minutes(30);     ///< before it is thought over again
constexpr double kWorthWaiting = 0.02;  ///< gains below this part are not waited for

/// Asks the router where each job would go now, and holds it back while the forecast there says
/// that a later start costs less. A job leaves at the latest when it still ends in time.
class WaitingRouter final : public Router {
 public:
  WaitingRouter(Waits waits, double slack, std::unique_ptr<Router> inner)
      : waits_(waits), slack_(slack), inner_(std::move(inner)) {}

  Routing route(const RouterView& view) override {
    due_.clear();
    for (const JobId job : view.waiting)
      if (const auto held = until_.find(job); held == until_.end() || held->second <= view.now)
        due_.push_back(job);
    // Who is due and finds no site is thought over when something happens, not at once again.
    std::erase_if(until_, [&](const auto& held) { return held.second <= view.now; });
    RouterView narrow = view;
    narrow.waiting = due_;
    narrow.fresh = 0;
    Routing routing = inner_->route(narrow);
    std::erase_if(routing.sent, [&](const SentJob& sent) { return hold(sent, view, routing); });
    for (const auto& [job, until] : until_)
      routing.ask_again = std::min(routing.ask_again.value_or(until), until);
    return routing;
  }

  void forget(JobId job) override {
    until_.erase(job);
    inner_->forget(job);
  }

 private:
  bool hold(const SentJob& sent, const RouterView& view, Routing& routing) {
    const JobState& job = view.state.job(sent.job);
    const Stay stay = *stay_at(job, sent.site, view.state.cluster(), view.models);
    const Time latest = latest_departure(job, stay, slack_);
    const Time best = best_departure(sent.site, stay, latest, view);
    if (view.explain) explain(sent, {stay, best, latest}, view, routing);
    if (best <= view.now) return false;
    until_[sent.job] = std::min({best, latest, view.now + kAgain});
    return true;
  }

  /// What a job is held or let go by.
  struct WaitPlan {
    Stay stay{};
    Time best{};
    Time latest{};
  };

  /// In place of what was said of who is held.
  void explain(const SentJob& sent, const WaitPlan& plan, const RouterView& view,
               Routing& routing) const {
    const auto mean = [&](Time leaves) {
      return fmt::format("{:.3g}", cost_of(sent.site, plan.stay, leaves, view));
    };
    const std::string now = mean(view.now) + (waits_ == Waits::cheapest ? " a kWh" : " g/kWh");
    std::string text;
    if (plan.best > view.now) {
      std::erase_if(routing.because, [&](const JobReason& each) { return each.job == sent.job; });
      text = fmt::format("waits until {}: {} then against {} now", clock_label(plan.best, view.now),
                         mean(plan.best), now);
    } else if (plan.latest < view.now + kWaitStep) {
      text = fmt::format("may not wait for better hours than now, with {}", now);
    } else {
      text = fmt::format("{} now, and no start until {} is foretold to be better by {:.0f} %", now,
                         clock_label(plan.latest, view.now), 100 * kWorthWaiting);
    }
    const auto said = std::ranges::find(routing.because, sent.job, &JobReason::job);
    if (said == routing.because.end())
      routing.because.push_back({sent.job, std::move(text)});
    else
      said->text += "; " + text;
  }

  Time best_departure(SiteId site, const Stay& stay, Time latest, const RouterView& view) const {
    Time best = view.now;
    double least = cost_of(site, stay, view.now, view);
    for (Time at = view.now + kWaitStep; at <= latest; at += kWaitStep) {
      const double cost = cost_of(site, stay, at, view);
      const bool first_gain = best == view.now;
      if (cost >= least - (first_gain ? kWorthWaiting * std::abs(least) : 0)) continue;
      least = cost;
      best = at;
    }
    return best;
  }

  double cost_of(SiteId site, const Stay& stay, Time leaves, const RouterView& view) const {
    const Time starts = leaves + stay.delay;
    const Time ends = starts + stay.run;
    return waits_ == Waits::cheapest ? view.outlook.price(site).mean(starts, ends).value()
                                     : view.outlook.carbon(site).mean(starts, ends).value();
  }

  Waits waits_;
  double slack_;
  std::unique_ptr<Router> inner_;
  std::map<JobId, Time> until_;  ///< who is held back, and until when
  std::vector<JobId> due_;
};

}  // namespace

Time latest_departure(const JobState& job, const Stay& stay, double slack) {
  if (job.job.deadline) return *job.job.deadline - stay.run - stay.delay;
  return job.job.submitted + round_duration(slack * seconds(job.job.requested));
}

Result<std::unique_ptr<Router>> make_waiting(const PolicySetting& /*setting*/,
                                             const Options& options,
                                             std::unique_ptr<Router> router) {
  const std::string& wait = options.at("wait");
  const auto slack = number_of(options, "slack");
  if (!slack) return slack.error();
  if (wait == "none") return router;
  if (wait != "cheapest" && wait != "greenest")
    return Error{"wait: '" + wait + "' is not possible; possible: none cheapest greenest"};
  const Waits waits = wait == "cheapest" ? Waits::cheapest : Waits::greenest;
  return std::unique_ptr<Router>(std::make_unique<WaitingRouter>(waits, *slack, std::move(router)));
}

}  // namespace penstock
