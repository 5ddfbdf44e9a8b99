#include "policies/andreas/andreas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "joint/objective.h"
#include "policies/andreas/execute_plan.h"
#include "policies/andreas/explain_plan.h"
#include "policies/andreas/waiting.h"
#include "policies/clock_choice.h"
#include "policy/policy_table.h"
#include "solve/exact_plan.h"

namespace penstock {
namespace {

constexpr double kSavesEnough = 0.98;  ///< a change must save a fiftieth of what is left to pay
constexpr double kSoonest = 60;        ///< seconds between two looks
constexpr double kRestarts = 4;        ///< likewise, in restarts

/// When the cheaper of two ways becomes possible; nothing if it is now, or never.
std::optional<double> change_from(const JointOption& now, const JointOption& then, double restart,
                                  double left) {
  if (then.worst <= now.worst) return std::nullopt;
  const double needed = then.worst + restart;
  if (needed <= left) return std::nullopt;
  // After x seconds: then.worst (1 − x / now.worst) + restart = left − x.
  const double wait = (needed - left) / (then.worst / now.worst - 1);
  return wait < now.worst ? std::optional(wait) : std::nullopt;
}

}  // namespace

std::optional<double> until_thriftier(const JointProblem& problem, const Assignments& plan,
                                      double restart) {
  const Rates rates(problem);
  const std::vector<double> needed = slices_needed(problem);
  const double all_needed = std::accumulate(needed.begin(), needed.end(), 0.0);
  std::optional<double> soonest;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (!plan[j]) continue;
    const JointJob& job = problem.jobs[j];
    const JointOption& now = job.options[plan[j]->option];
    const double beside = all_needed - needed[j];
    const double cost = finishing_cost(now, rates, beside);
    for (const JointOption& then : job.options) {
      if (finishing_cost(then, rates, beside) > kSavesEnough * cost) continue;
      const auto wait = change_from(now, then, restart, job.deadline - problem.now);
      if (!wait) continue;
      const double later = std::max({*wait, kSoonest, kRestarts * restart});
      soonest = soonest ? std::min(*soonest, later) : later;
    }
  }
  return soonest;
}

namespace {

bool touches_running(JointMethod method) {
  return method != JointMethod::fifo && method != JointMethod::edf &&
         method != JointMethod::priority;
}

/// Baselines decide by the present alone.
bool plans_ahead(JointMethod method) {
  return touches_running(method) && method != JointMethod::atc;
}

class Andreas final : public Policy {
 public:
  Andreas(const Cluster& cluster, const AndreasOptions& options)
      : shapes_(cluster), options_(options) {}

  Decision decide(const View& view) override {
    Decision decision;
    const bool is_due = again_ && view.now >= *again_;
    if (view.happened.empty() && !is_due) {  // somebody else had asked for the time
      decision.ask_again = again_;
      return decision;
    }
    const double interval = until_changed(view);
    const WidePlan wide = plan_wide_jobs(view, shapes_, touches_running(options_.plan.method),
                                         options_.instance.window);
    WaitingPlan waiting;
    const Instance instance = make_problem(view, wide, interval, waiting);
    JointSettings settings = options_.plan;
    settings.seed += decisions_++;
    const JointResult result = make_plan(instance.problem, settings);
    carry_out(view, instance, {result.jobs, wide.starts, waiting.jobs}, decision);
    if (view.explain)
      explain_plan(view, instance, {result.jobs, wide.starts, waiting.jobs}, decision);
    again_ = waiting.again;
    if (plans_ahead(settings.method))
      if (const auto wait =
              until_thriftier(instance.problem, result.jobs, seconds(view.state.costs().restart)))
        again_ = std::min(again_.value_or(Time::max()), view.now + ceil_duration(*wait));
    decision.ask_again = again_;
    return decision;
  }

 private:
  /// The instance without those that are held back. These do not count in the window, so that they
  /// keep nobody from being looked at.
  Instance make_problem(const View& view, const WidePlan& wide, double interval,
                        WaitingPlan& waiting) {
    InstanceSpec spec = options_.instance;
    spec.window += held_;
    Instance instance = make_instance(view, shapes_, wide.use, interval, spec);
    if (!spec.waits) return instance;
    load_.count(view, instance);
    waiting = hold_back(view, spec, load_, instance);
    while (options_.instance.window + waiting.jobs.size() > spec.window &&
           view.state.queue().size() > spec.window) {
      spec.window = options_.instance.window + waiting.jobs.size();
      instance = make_instance(view, shapes_, wide.use, interval, spec);
      waiting = hold_back(view, spec, load_, instance);
    }
    held_ = waiting.jobs.size();
    return instance;
  }

  /// Seconds until a job's way is likely to be changed again: to the next decision, judged by those
  /// between the last ones; longer on large clusters, where a decision changes few of the jobs. A
  /// restart at least.
  double until_changed(const View& view) {
    constexpr double kNewest = 0.1;
    if (last_ && view.now > *last_) {
      const double gap = std::min(seconds(view.now - *last_), 86'400.0);
      gap_ += kNewest * (gap - gap_);
    }
    last_ = view.now;
    constexpr double kCaution = 0.7;
    constexpr double kChanged = 20;  // jobs; chosen on the study's seeds for tuning
    const double share = std::max(1.0, static_cast<double>(view.state.running().size()) / kChanged);
    return std::max({kCaution * gap_ * share, 1.05 * seconds(view.state.costs().restart), 1.0});
  }

  Shapes shapes_;
  AndreasOptions options_;
  std::optional<Time> last_;
  ArrivingLoad load_;
  std::size_t held_ = 0;  ///< jobs that waited for cheaper power after the last decision
  double gap_ = 300;      ///< mean seconds between decisions
  std::uint64_t decisions_ = 0;
  std::optional<Time> again_;  ///< it plans anew then, whatever happens
};

}  // namespace

std::unique_ptr<Policy> make_andreas(const Cluster& cluster, const AndreasOptions& options) {
  return std::make_unique<Andreas>(cluster, options);
}

namespace {

struct MethodName {
  std::string_view name;
  JointMethod method;
};
constexpr std::array kMethods{
    MethodName{"greedy", JointMethod::greedy},   MethodName{"rg", JointMethod::random_greedy},
    MethodName{"ls", JointMethod::local_search}, MethodName{"pr", JointMethod::relinking},
    MethodName{"exact", JointMethod::exact},     MethodName{"fifo", JointMethod::fifo},
    MethodName{"edf", JointMethod::edf},         MethodName{"priority", JointMethod::priority},
    MethodName{"atc", JointMethod::atc}};

constexpr std::array kAndreasOptions{
    OptionSpec{
        "method", "pr",
        "greedy, rg (randomised greedy), ls (local search), pr (path relinking), exact (small "
        "clusters); or baselines: fifo, edf, priority, which do not touch running jobs, and atc "
        "(apparent tardiness cost first, one GPU a job)"},
    OptionSpec{"aim", "pace",
               "pace (worth of what is done until the next decision) or published (cost until the "
               "first job of the plan ends)"},
    OptionSpec{"iterations", "30", "random plans that a decision begins with"},
    OptionSpec{"randomisation", "wider",
               "how far random plans stray from the greedy one: wider, or published (as in the "
               "authors' program)"},
    OptionSpec{"unique", "no",
               "whether each job has a node for itself, as the oldest published baselines had: no "
               "or yes"},
    OptionSpec{"elites", "4", "number of best plans that ls and pr improve"},
    OptionSpec{
        "clocks", "fixed",
        "clocks: fixed (the highest, or as the option clock says) or free (where GPUs suffice "
        "for all deadlines, the cheapest with which a job is in time, whatever clock says)"},
    OptionSpec{"wait", "cheaper",
               "cheaper (jobs wait, or pause, while power is foretold to become cheaper and they "
               "will be in time) or never; baselines, aim=published and unique=yes never wait"},
    OptionSpec{"window", "500", "number of waiting jobs considered, oldest first"},
    OptionSpec{"delay_cost", "1", "money per hour late, for jobs that name none"},
    OptionSpec{
        "epochs", "distribution",
        "how uncertain epochs are planned: distribution (least expected cost) or stated (all "
        "are assumed needed)"},
    OptionSpec{"seed", "4010", "random seed"},
    OptionSpec{"time_limit", "none",
               "for one decision, such as '500 ms', or none; with one, runs are not repeatable"},
};

Result<JointMethod> method_of(const std::string& text) {
  const auto known = std::ranges::find(kMethods, text, &MethodName::name);
  if (known != kMethods.end()) return known->method;
  std::vector<std::string_view> names;
  names.reserve(kMethods.size());
  for (const MethodName& each : kMethods) names.push_back(each.name);
  return Error{fmt::format("method: '{}' is not possible; {}", text, fmt::join(names, " "))};
}

Result<JointAim> aim_of(const std::string& text) {
  if (text == "pace") return JointAim::pace;
  if (text == "published") return JointAim::first_finish;
  return Error{fmt::format("aim: '{}' is not possible; pace or published", text)};
}

/// Whether an option with two values has the second.
Result<bool> flag_of(const Options& options, const std::string& name, std::string_view unset,
                     std::string_view set) {
  const std::string& value = options.at(name);
  if (value != unset && value != set)
    return Error{fmt::format("{}: '{}' is not possible; {} or {}", name, value, unset, set)};
  return value == set;
}

/// What older published forms of the methods differ in.
Result<Done> read_published_forms(const Options& options, AndreasOptions& chosen) {
  const auto published = flag_of(options, "randomisation", "wider", "published");
  if (!published) return published.error();
  chosen.plan.as_published = *published;
  const auto unique = flag_of(options, "unique", "no", "yes");
  if (!unique) return unique.error();
  if (*unique && chosen.plan.method == JointMethod::exact)
    return Error{"unique: method=exact lets jobs share nodes"};
  chosen.instance.unique = *unique;
  if (*unique) chosen.instance.waits = false;
  return Done{};
}

/// How plans are searched for.
Result<Done> read_search(const Options& options, JointSettings& plan) {
  const auto method = method_of(options.at("method"));
  if (!method) return method.error();
  plan.method = *method;
  const auto aim = aim_of(options.at("aim"));
  if (!aim) return aim.error();
  plan.aim = *aim;
  const auto iterations = whole_of(options, "iterations", 1);
  if (!iterations) return iterations.error();
  plan.iterations = *iterations;
  const auto elites = whole_of(options, "elites", 1);
  if (!elites) return elites.error();
  plan.elites = *elites;
  const auto seed = whole_of(options, "seed", 0);
  if (!seed) return seed.error();
  plan.seed = *seed;
  const auto limit = duration_or_none(options, "time_limit");
  if (!limit) return limit.error();
  plan.time_limit = *limit;
  return Done{};
}

/// Clocks, and waiting for cheaper power. The method is known.
Result<Done> read_abilities(const Options& options, const Cluster& cluster,
                            AndreasOptions& chosen) {
  const auto stochastic = flag_of(options, "epochs", "stated", "distribution");
  if (!stochastic) return stochastic.error();
  chosen.instance.stochastic = *stochastic;
  const auto clocks = flag_of(options, "clocks", "fixed", "free");
  if (!clocks) return clocks.error();
  chosen.instance.clocks = *clocks && touches_running(chosen.plan.method);
  const auto waits = flag_of(options, "wait", "never", "cheaper");
  if (!waits) return waits.error();
  chosen.instance.waits =
      *waits && plans_ahead(chosen.plan.method) && chosen.plan.aim == JointAim::pace;
  const auto clock = options.find(std::string(kClockOption.name));
  if (clock == options.end()) return Done{};
  const auto choice = ClockChoice::parse(clock->second, cluster);
  if (!choice) return choice.error();
  if (!choice->is_highest()) chosen.instance.clock = *choice;
  return Done{};
}

Result<std::unique_ptr<Policy>> make_andreas(const PolicySetting& setting,
                                             std::string_view /*name*/, const Options& options) {
  AndreasOptions chosen;
  if (auto done = read_search(options, chosen.plan); !done) return std::move(done).error();
  const auto window = whole_of(options, "window", 1);
  if (!window) return window.error();
  const auto delay = number_of(options, "delay_cost");
  if (!delay) return delay.error();
  chosen.instance = {.carbon_price = setting.carbon_price,
                     .delay_weight = *delay / 3600,
                     .nodes_sleep = setting.costs.sleep_after.has_value(),
                     .window = *window};
  if (auto done = read_abilities(options, setting.cluster, chosen); !done)
    return std::move(done).error();
  if (auto done = read_published_forms(options, chosen); !done) return std::move(done).error();
  return make_andreas(setting.cluster, chosen);
}

}  // namespace

std::span<const PolicyEntry> andreas_policies() {
  static constexpr std::array kAll{
      PolicyEntry{"andreas",
                  "energy cost plus tardiness, planned jointly and anew at every event: who runs, "
                  "where, on how many GPUs",
                  kAndreasOptions,
                  make_andreas,
                  {.resizes = true,
                   .migrates = true,
                   .preempts = true,
                   .shares_gpus = true,
                   .reacts_to_price = true,
                   .reacts_to_carbon = true,
                   .uses_models = true,
                   .uses_deadlines = true}},
  };
  return kAll;
}

}  // namespace penstock
