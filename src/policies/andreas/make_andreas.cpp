#include "policies/andreas/make_andreas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "policies/andreas/andreas.h"
#include "policy/option_values.h"

namespace penstock {
namespace {

struct MethodName {
  std::string_view name;
  JointMethod method;
};
constexpr std::array kMethods{
    MethodName{"greedy", JointMethod::greedy},   MethodName{"rg", JointMethod::random_greedy},
    MethodName{"ls", JointMethod::local_search}, MethodName{"pr", JointMethod::relinking},
    MethodName{"exact", JointMethod::exact},     MethodName{"fifo", JointMethod::fifo},
    MethodName{"edf", JointMethod::edf},         MethodName{"priority", JointMethod::priority}};

constexpr std::array kOptions{
    OptionSpec{
        "method", "pr",
        "greedy, rg (randomised greedy), ls (local search), pr (path relinking), exact (small "
        "clusters); or fifo, edf, priority: first principles, running jobs are not touched"},
    OptionSpec{"aim", "pace",
               "pace (worth of what is done until the next decision) or published (cost until the "
               "first job of the plan ends)"},
    OptionSpec{"iterations", "30", "random plans that a decision begins with"},
    OptionSpec{"elites", "4", "of them so many are improved by ls and pr"},
    OptionSpec{"window", "500", "so many waiting jobs are looked at, those that came first"},
    OptionSpec{"delay_cost", "1", "money per hour late, for jobs that name none"},
    OptionSpec{"epochs", "distribution",
               "where their number is uncertain: distribution (least expected cost, in time at "
               "worst) or stated (as if all were needed)"},
    OptionSpec{"seed", "4010", "of the random plans"},
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

Result<std::unique_ptr<Policy>> make_andreas(const PolicySetting& setting,
                                             std::string_view /*name*/, const Options& options) {
  AndreasOptions chosen;
  const auto method = method_of(options.at("method"));
  if (!method) return method.error();
  chosen.plan.method = *method;
  const auto aim = aim_of(options.at("aim"));
  if (!aim) return aim.error();
  chosen.plan.aim = *aim;
  const auto iterations = whole_of(options, "iterations", 1);
  if (!iterations) return iterations.error();
  chosen.plan.iterations = *iterations;
  const auto elites = whole_of(options, "elites", 1);
  if (!elites) return elites.error();
  chosen.plan.elites = *elites;
  const auto window = whole_of(options, "window", 1);
  if (!window) return window.error();
  const auto seed = whole_of(options, "seed", 0);
  if (!seed) return seed.error();
  chosen.plan.seed = *seed;
  const auto limit = duration_or_none(options, "time_limit");
  if (!limit) return limit.error();
  chosen.plan.time_limit = *limit;
  const auto delay = number_of(options, "delay_cost");
  if (!delay) return delay.error();
  const std::string& epochs = options.at("epochs");
  if (epochs != "distribution" && epochs != "stated")
    return Error{fmt::format("epochs: '{}' is not possible; distribution or stated", epochs)};
  chosen.instance = {.carbon_price = setting.carbon_price,
                     .delay_weight = *delay / 3600,
                     .nodes_sleep = setting.costs.sleep_after.has_value(),
                     .stochastic = epochs == "distribution",
                     .window = *window};
  return make_andreas(setting.cluster, chosen);
}

}  // namespace

std::span<const PolicyEntry> joint_policies() {
  static constexpr std::array kAll{
      PolicyEntry{"andreas",
                  "energy cost plus tardiness, planned jointly and anew at every event: who runs, "
                  "where, on how many GPUs",
                  kOptions,
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
