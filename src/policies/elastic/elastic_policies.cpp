#include "policies/elastic/elastic_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "policies/elastic/baselines.h"
#include "policies/elastic/elastic_policy.h"
#include "policies/elastic/pollux.h"
#include "policies/elastic/powerflow.h"
#include "policies/elastic/sia.h"
#include "policy/policy_table.h"

namespace penstock {
namespace {

using Made = Result<std::unique_ptr<Policy>>;

Result<std::optional<BudgetSpec>> budget_of(const Options& options) {
  const std::string& text = options.at("energy_budget");
  if (text == "none") return std::optional<BudgetSpec>{};
  const auto window = duration_of(options, "budget_window");
  if (!window) return window.error();
  const auto horizon = duration_or_none(options, "budget_horizon");
  if (!horizon) return horizon.error();
  auto budget = parse_budget(text, *window, *horizon);
  if (!budget) return std::move(budget).error();
  if (budget->window && *horizon)
    return Error{fmt::format(
        "budget_horizon: '{}' is a budget by time, which holds however long the run lasts; "
        "possible: no budget_horizon, or a budget for the whole run such as '900 kWh'",
        text)};
  return std::optional(*budget);
}

/// What a plan needs is counted by models of power for each GPU, which know nothing of tables.
Result<Done> check_tables(const PolicySetting& setting, const std::optional<BudgetSpec>& budget) {
  if (!budget) return Done{};
  for (const Node& node : setting.cluster.nodes)
    if (setting.cluster.has_power_table(node))
      return Error{fmt::format(
          "energy_budget: nodes of site '{}' have power_by_used, which no budget can be kept with; "
          "possible: energy_budget = 'none', or base_power instead of the table",
          setting.cluster.sites[node.site.index].name)};
  return Done{};
}

/// A budget by time must leave something for jobs.
Result<Done> check_floor(const PolicySetting& setting, const std::optional<BudgetSpec>& budget,
                         const std::string& text) {
  if (!budget || !budget->window) return Done{};
  Watts floor{};
  for (const Node& node : setting.cluster.nodes)
    floor += idle_draw(setting.cluster, node, NodePhase::awake).total();
  if (budget->amount / *budget->window > floor) return Done{};
  return Error{fmt::format(
      "energy_budget: '{}' is not more than the machines draw without any job, {:.1f} kWh/h", text,
      floor.value() / 1000)};
}

constexpr std::array kPowerflowOptions{
    OptionSpec{"energy_budget", "none",
               "energy by time ('40 kWh/h') or for the whole run ('900 kWh'), or none"},
    OptionSpec{"budget_window", "1 h", "any stretch of this length keeps a budget by time"},
    OptionSpec{"budget_horizon", "none",
               "how long a budget for the whole run has to last, or none: only for jobs already "
               "submitted"},
    OptionSpec{
        "budget_gpu_hours", "none",
        "GPU-hours that users are expected to ask for within the horizon, or none: as much as "
        "arrivals so far suggest"},
    OptionSpec{"if_short", "finish",
               "where a budget for the whole run is too small: finish (jobs run on as thriftily as "
               "they can and exceed it) or stop"},
    OptionSpec{"slot", "5 min", "longest time between plans under a budget"},
    OptionSpec{"energy_price", "0",
               "seconds of completion time that a kWh is worth; a budget raises it as it must"},
    OptionSpec{
        "rank", "value",
        "how GPUs and clocks are given: value (to jobs whose progress saves all jobs most), shares "
        "(time saved for the share taken of what is left of GPUs, power and energy) or published "
        "(relative time saved for relative energy added)"},
    OptionSpec{"favour_short", "1",
               "with shares: 0 counts seconds alike, 1 by how much of its own time a job saves"},
    OptionSpec{"batch", "free",
               "batch sizes: free (the fastest in the model's range, where it was measured what a "
               "sample then counts) or fixed (as asked)"},
    OptionSpec{"sizes", "free", "numbers of GPUs: free or fixed (as asked)"},
    OptionSpec{"clocks", "free", "clocks: free or fixed (the highest)"},
    OptionSpec{"types", "free",
               "GPU types of jobs on a site that has several: free (chosen, also for running jobs; "
               "only with rank = value) or joined (as when they were submitted)"},
    OptionSpec{"profile", "60 s",
               "length of each of three profiling runs of an unknown kind, or none"},
};

Result<double> planned_gpu_hours(const Options& options, const std::optional<BudgetSpec>& budget) {
  if (options.at("budget_gpu_hours") == "none") return 0.0;
  if (!budget || !budget->horizon)
    return Error{
        "budget_gpu_hours: only for a budget for the whole run with a budget_horizon; without them "
        "nothing is expected of arrivals"};
  const auto hours = number_of(options, "budget_gpu_hours");
  if (!hours) return hours.error();
  if (*hours <= 0)
    return Error{fmt::format("budget_gpu_hours: {} is not more than nothing", *hours)};
  return *hours;
}

Result<bool> one_of_two(const Options& options, const std::string& name, std::string_view yes,
                        std::string_view no) {
  const std::string& text = options.at(name);
  if (text == yes || text == no) return text == yes;
  return Error{fmt::format("{}: '{}' is not possible; {} or {}", name, text, yes, no)};
}

Result<Ranking> ranking_of(const Options& options) {
  const std::string& rank = options.at("rank");
  if (rank == "value") return Ranking::value;
  if (rank == "shares") return Ranking::shares;
  if (rank == "published") return Ranking::published;
  return Error{fmt::format("rank: '{}' is not possible; value, shares or published", rank)};
}

/// The budget with which these nodes can be kept.
Result<std::optional<BudgetSpec>> checked_budget(const PolicySetting& setting,
                                                 const Options& options) {
  auto budget = budget_of(options);
  if (!budget) return budget;
  if (auto known = check_tables(setting, *budget); !known) return std::move(known).error();
  if (auto enough = check_floor(setting, *budget, options.at("energy_budget")); !enough)
    return std::move(enough).error();
  return budget;
}

/// How plans are made, whatever the budget.
Result<PowerflowOptions> planning_of(const Options& options) {
  const auto finishes = one_of_two(options, "if_short", "finish", "stop");
  if (!finishes) return finishes.error();
  const auto adapts = one_of_two(options, "batch", "free", "fixed");
  if (!adapts) return adapts.error();
  const auto sizes = one_of_two(options, "sizes", "free", "fixed");
  if (!sizes) return sizes.error();
  const auto clocks = one_of_two(options, "clocks", "free", "fixed");
  if (!clocks) return clocks.error();
  const auto slot = duration_of(options, "slot");
  if (!slot) return slot.error();
  const auto ranking = ranking_of(options);
  if (!ranking) return ranking.error();
  const auto favour = number_of(options, "favour_short");
  if (!favour) return favour.error();
  const auto price = number_of(options, "energy_price");
  if (!price) return price.error();
  const auto profile = duration_or_none(options, "profile");
  if (!profile) return profile.error();
  const auto chooses = one_of_two(options, "types", "free", "joined");
  if (!chooses) return chooses.error();
  return PowerflowOptions{.finishes = *finishes,
                          .slot = *slot,
                          .plan = {.favour_short = *favour, .energy_price = *price / kJoulesPerKwh},
                          .freedom = {.batch = *adapts, .gpus = *sizes, .clocks = *clocks},
                          .ranking = *ranking,
                          .profile = *profile,
                          .chooses_types = *chooses && *ranking == Ranking::value};
}

/// Whether any site has several GPU types.
bool has_choice_of_types(const Cluster& cluster) {
  return std::ranges::any_of(cluster.sites, [&](const Site& site) {
    const auto nodes = std::span(cluster.nodes).subspan(site.first_node.index, site.nodes);
    return std::ranges::any_of(nodes, [&](const Node& n) { return n.type != nodes.front().type; });
  });
}

Made make_powerflow(const PolicySetting& setting, std::string_view /*name*/,
                    const Options& options) {
  auto chosen = planning_of(options);
  if (!chosen) return std::move(chosen).error();
  const auto budget = checked_budget(setting, options);
  if (!budget) return budget.error();
  chosen->budget = *budget;
  const auto planned = planned_gpu_hours(options, *budget);
  if (!planned) return planned.error();
  auto shared = std::make_unique<PowerflowShared>();
  if (*budget && !(*budget)->window) shared->run_budget.emplace(**budget, setting.start, *planned);
  if (chosen->chooses_types && has_choice_of_types(setting.cluster))
    shared->types.emplace(chosen->plan.energy_price);
  const auto make = [chosen = *chosen, start = setting.start, &shared = *shared] {
    return std::make_unique<Powerflow>(chosen, start, shared);
  };
  return make_elastic_policy(setting, make, std::move(shared));
}

Made make_afs_policy(const PolicySetting& setting, std::string_view /*name*/,
                     const Options& /*options*/) {
  return make_elastic_policy(setting, [] { return make_afs(); });
}

constexpr std::array kOptimusOptions{
    OptionSpec{"interval", "10 min", "it plans anew at events and at least so often"},
};

Made make_optimus_policy(const PolicySetting& setting, std::string_view /*name*/,
                         const Options& options) {
  const auto interval = duration_of(options, "interval");
  if (!interval) return interval.error();
  return make_elastic_policy(setting, [=] { return make_optimus(*interval); });
}

constexpr std::array kTiresiasOptions{
    OptionSpec{"first", "3250", "GPU-seconds after which a job leaves the first queue"},
    OptionSpec{"second", "7200", "GPU-seconds after which a job leaves the second queue"},
    OptionSpec{"promote", "8",
               "a job that waited so many times what it ran is served first again; 0: never"},
};

Made make_tiresias_policy(const PolicySetting& setting, std::string_view /*name*/,
                          const Options& options) {
  TiresiasOptions chosen;
  for (const auto& [name, value] :
       {std::pair("first", &chosen.first_threshold), std::pair("second", &chosen.second_threshold),
        std::pair("promote", &chosen.promote)}) {
    const auto number = number_of(options, name);
    if (!number) return number.error();
    *value = *number;
  }
  return make_elastic_policy(setting, [=] { return make_tiresias(chosen); });
}

constexpr std::array kGandivaOptions{
    OptionSpec{"slice", "30 min", "how long jobs run before others get their turn"},
    OptionSpec{"grow", "true", "true: idle GPUs are lent to running jobs; or false"},
};

Made make_gandiva_policy(const PolicySetting& setting, std::string_view /*name*/,
                         const Options& options) {
  const auto slice = duration_of(options, "slice");
  if (!slice) return slice.error();
  const std::string& grow = options.at("grow");
  if (grow != "true" && grow != "false")
    return Error{fmt::format("grow: '{}' is not possible; true or false", grow)};
  const GandivaOptions chosen{.slice = *slice, .grow = grow == "true"};
  return make_elastic_policy(setting, [=] { return make_gandiva(chosen); });
}

/// The power by which a policy weighs jobs that fare badly.
Result<double> fairness_of(const Options& options, double least, double most, bool may_be_zero) {
  const std::string& text = options.at("fairness");
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool is_number = read.ec == std::errc{} && read.ptr == end;
  if (is_number && value >= least && value <= most && (may_be_zero || value != 0)) return value;
  return Error{fmt::format("fairness: '{}' is not a number from {} to {}{}", text, least, most,
                           may_be_zero ? "" : " other than 0")};
}

constexpr std::array kPolluxOptions{
    OptionSpec{"interval", "60 s", "time between plans; events do not cause any"},
    OptionSpec{
        "fairness", "-1",
        "exponent of the mean of speedups: from 1 (the largest sum) to -10 (nearly equal ones)"},
};

Made make_pollux_policy(const PolicySetting& setting, std::string_view /*name*/,
                        const Options& options) {
  const auto interval = duration_of(options, "interval");
  if (!interval) return interval.error();
  const auto fairness = fairness_of(options, -10, 1, true);
  if (!fairness) return fairness.error();
  const PolluxOptions chosen{.interval = *interval, .fairness = *fairness};
  return make_elastic_policy(setting, [=] { return make_pollux(chosen); });
}

constexpr std::array kSiaOptions{
    OptionSpec{"interval", "60 s", "time between rounds"},
    OptionSpec{"fairness", "-0.5",
               "the power of goodputs, from -2 to 2 but not 0: the lower, the more jobs that have "
               "little count"},
    OptionSpec{"queue_penalty", "1.1", "what a job that waits costs, above 1"},
};

Made make_sia_policy(const PolicySetting& setting, std::string_view /*name*/,
                     const Options& options) {
  const auto interval = duration_of(options, "interval");
  if (!interval) return interval.error();
  const auto fairness = fairness_of(options, -2, 2, false);
  if (!fairness) return fairness.error();
  const auto penalty = number_of(options, "queue_penalty");
  if (!penalty) return penalty.error();
  if (*penalty <= 1)
    return Error{fmt::format("queue_penalty: '{}' is not above 1, so that jobs might never start",
                             options.at("queue_penalty"))};
  return make_sia(setting,
                  {.interval = *interval, .fairness = *fairness, .queue_penalty = *penalty});
}

}  // namespace

std::span<const PolicyEntry> elastic_policies() {
  static constexpr std::array kAll{
      PolicyEntry{"tiresias",
                  "least attained GPU-time first in three queues, preempting",
                  kTiresiasOptions,
                  make_tiresias_policy,
                  {.migrates = true, .preempts = true}},
      PolicyEntry{"gandiva",
                  "time slices in turn; idle GPUs are lent to running jobs",
                  kGandivaOptions,
                  make_gandiva_policy,
                  {.resizes = true, .migrates = true, .preempts = true, .uses_models = true}},
      PolicyEntry{"afs",
                  "elastic: each GPU to the job that gains most, short ones first",
                  {},
                  make_afs_policy,
                  {.resizes = true, .migrates = true, .preempts = true, .uses_models = true}},
      PolicyEntry{"optimus",
                  "elastic: each GPU to the job whose remaining time it cuts most",
                  kOptimusOptions,
                  make_optimus_policy,
                  {.resizes = true, .migrates = true, .preempts = true, .uses_models = true}},
      PolicyEntry{"pollux",
                  "elastic GPUs and batches: largest mean speedup over a fair share of the GPUs",
                  kPolluxOptions,
                  make_pollux_policy,
                  {.resizes = true, .migrates = true, .preempts = true, .uses_models = true}},
      PolicyEntry{"sia",
                  "elastic: in rounds, GPU types and numbers of GPUs for all jobs at once",
                  kSiaOptions,
                  make_sia_policy,
                  {.resizes = true, .migrates = true, .preempts = true, .uses_models = true}},
      PolicyEntry{"powerflow",
                  "elastic GPUs, clocks and batches: least completion time under an energy budget",
                  kPowerflowOptions,
                  make_powerflow,
                  {.sets_clocks = true,
                   .resizes = true,
                   .migrates = true,
                   .preempts = true,
                   .uses_models = true,
                   .keeps_budget = true}},
  };
  return kAll;
}

}  // namespace penstock
