#include "policies/andreas/explain_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "joint/objective.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

class PlanExplainer {
 public:
  PlanExplainer(const View& view, const Instance& instance, const Assignments& plan,
                Decision& decision)
      : view_(view),
        problem_(instance.problem),
        instance_(instance),
        plan_(plan),
        decision_(decision),
        rates_(problem_) {
    for (const Action& action : decision.actions) note(action);
    for (const JointNode& node : problem_.nodes) gpus_ += node.gpus;
    for (std::size_t j = 0; j < plan.size(); ++j) {
      if (!plan[j]) continue;
      ++planned_;
      slices_ += problem_.jobs[j].options[plan[j]->option].slices;
    }
  }

  void all(const WholePlan& plan) {
    for (std::size_t j = 0; j < plan_.size(); ++j) explain_job(j);
    for (const HeldJob& held : plan.held) explain_held(held);
    for (const WideStart& start : plan.wide)
      decision_.because.push_back(
          {start.job,
           fmt::format("{} on {} nodes, free or cleared for it, since no single one holds it",
                       gpus_label(gpu_count(start.where)), start.where.size())});
  }

 private:
  void note(const Action& action) {
    std::visit(
        [&](const auto& a) {
          if constexpr (requires { a.job; }) moved_.insert(a.job);
        },
        action);
  }

  void explain_job(std::size_t number) {
    const JobId id = instance_.jobs[number];
    const bool waits = view_.state.job(id).phase != Phase::running;
    const bool moved = moved_.contains(id);
    if (!plan_[number] && (waits || moved))
      decision_.because.push_back({id, (waits ? "waits: " : "stopped: ") + why_waiting(number)});
    else if (plan_[number] && moved)
      decision_.because.push_back({id, why_running(number)});
    else if (plan_[number] && waits)
      decision_.because.push_back({id, "waits: what is planned for it is not free in one piece"});
  }

  void explain_held(const HeldJob& held) {
    const bool waits = view_.state.job(held.job).phase != Phase::running;
    std::string text = waits ? "waits" : "stopped, and waits";
    if (held.until) text += " until " + clock_label(*held.until, view_.now);
    text += ": power is foretold to cost less before it is due";
    if (const auto due = view_.state.job(held.job).job.deadline)
      text += " " + clock_label(*due, view_.now);
    decision_.because.push_back({held.job, std::move(text)});
  }

  std::string size_word(std::uint32_t slices) const {
    if (problem_.slices == 1) return gpus_label(slices);
    if (slices < problem_.slices) return fmt::format("{}/{} of a GPU", slices, problem_.slices);
    return gpus_label(slices / problem_.slices);
  }

  Time moment(double seconds_from_now) const {
    return view_.now + round_duration(seconds_from_now - problem_.now);
  }

  std::string why_running(std::size_t number) const {
    const JointJob& job = problem_.jobs[number];
    const JointOption& option = job.options[plan_[number]->option];
    const double run = run_seconds(job, *plan_[number]);
    const double an_hour = finishing_cost(option, rates_) / option.seconds * 3600;
    std::string text = fmt::format(
        "{}: expected to end {} at {:.3g} an hour, its share of the node included",
        size_word(option.slices), clock_label(moment(problem_.now + run), view_.now), an_hour);
    const double late = problem_.now + run - job.deadline;
    if (!view_.state.job(instance_.jobs[number]).job.deadline) return text;
    text += ", due " + clock_label(moment(job.deadline), view_.now);
    if (late > 0)
      text += fmt::format(": {} late, which costs {:.3g}", duration_label(round_duration(late)),
                          late * job.weight);
    return text;
  }

  std::string why_waiting(std::size_t number) const {
    const JointJob& job = problem_.jobs[number];
    std::string text = fmt::format("the plan gives {} of {} GPUs to {} first",
                                   gpus_for(slices_, problem_.slices), gpus_, jobs_label(planned_));
    if (!view_.state.job(instance_.jobs[number]).job.deadline) return text;
    double fastest = job.options.front().seconds;
    for (const JointOption& option : job.options) fastest = std::min(fastest, option.seconds);
    const double last = job.deadline - fastest - job.restart;
    if (last > problem_.now)
      return text + "; in time if it starts by " + clock_label(moment(last), view_.now);
    return text + fmt::format("; it is late by {} at least",
                              duration_label(round_duration(problem_.now - last)));
  }

  const View& view_;
  const JointProblem& problem_;
  const Instance& instance_;
  const Assignments& plan_;
  Decision& decision_;
  Rates rates_;
  std::set<JobId> moved_;  ///< by the decision
  std::uint32_t gpus_ = 0;
  std::uint32_t slices_ = 0;  ///< of them in use by the plan
  std::size_t planned_ = 0;
};

}  // namespace

void explain_plan(const View& view, const Instance& instance, const WholePlan& plan,
                  Decision& decision) {
  PlanExplainer(view, instance, plan.jobs, decision).all(plan);
}

}  // namespace penstock
