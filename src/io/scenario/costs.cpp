#include <fmt/format.h>

#include "io/scenario/sections.h"

namespace penstock {
namespace {

void read_node_sleep(TableReader& costs, Costs& values) {
  auto table = costs.table("node_sleep", R"({ after = "10 min", wake = "90 s" })");
  if (!table) return;
  Duration after{};
  if (table->require("after") && table->duration("after", after)) values.sleep_after = after;
  table->duration("wake", values.wake);
  table->finish();
}

void require_positive(TableReader& table, std::string_view key, Duration& value) {
  if (table.require(key) && table.duration(key, value) && value <= Duration::zero())
    table.problem(key, "must be longer than nothing");
}

/// Sites go down, but nodes do not break at random.
bool only_outages(TableReader& failures, const Scenario& scenario) {
  return !scenario.outages.empty() && !failures.has("mtbf") && !failures.has("mttr");
}

}  // namespace

void read_costs(TableReader& root, Draft& draft) {
  auto table = root.table("costs");
  if (!table) return;
  table->duration("start", draft.scenario.costs.start);
  table->duration("restart", draft.scenario.costs.restart);
  read_node_sleep(*table, draft.scenario.costs);
  table->has("currency");  // both read before all else
  if (const auto price = table->quantity("carbon_price", Measure::carbon_price, 0))
    draft.scenario.carbon_price =
        price->value * note_currency(*table, "carbon_price", price->currency, draft);
  table->has("exchange");
  table->finish();
}

void read_utility(TableReader& root, Draft& draft) {
  auto table = root.table("utility", "{ cost = 0.5, carbon = 0.5 }");
  if (!table) return;
  UtilityWeights& weights = draft.scenario.utility;
  table->number("utilization", weights.utilization, {.least = 0});
  table->number("cost", weights.cost, {.least = 0});
  table->number("carbon", weights.carbon, {.least = 0});
  table->number("transfer", weights.transfer, {.least = 0});
  table->number("late", weights.late, {.least = 0});
  table->finish();
}

void read_failures(TableReader& root, Draft& draft) {
  auto table = root.table("failures", R"({ mtbf = "30 d", mttr = "4 h" })");
  if (!table) return;
  if (only_outages(*table, draft.scenario)) {
    table->duration("checkpoint", draft.scenario.outage_checkpoint);
    return table->finish();
  }
  Failures failures;
  require_positive(*table, "mtbf", failures.mtbf);
  require_positive(*table, "mttr", failures.mttr);
  table->duration("checkpoint", failures.checkpoint);
  // A job gets on only if it restarts and reaches its next checkpoint without a failure.
  const Duration undisturbed = 10 * (draft.scenario.costs.restart + failures.checkpoint);
  if (failures.mtbf > Duration::zero() && failures.mtbf < undisturbed)
    table->problem("mtbf",
                   fmt::format("{} is so short that jobs may never get on; possible: at least "
                               "10 x (costs.restart + checkpoint), which is {}",
                               format_duration(failures.mtbf), format_duration(undisturbed)));
  table->finish();
  draft.scenario.failures = failures;
}

}  // namespace penstock
