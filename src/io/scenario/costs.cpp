// The one currency of a scenario: `currency` and `exchange` of [costs].
#include <fmt/format.h>

#include "io/scenario/sections.h"

namespace penstock {
namespace {

constexpr Range kBelievableRate{.least = 1e-6, .most = 1e6};

/// What one unit of another currency is worth: { USD = 0.845 }.
void read_exchange(TableReader& costs, ScenarioDraft& draft) {
  auto table = costs.table("exchange", "{ USD = 0.845 }");
  if (!table) return;
  const std::string& ours = draft.scenario.currency;
  if (!costs.has("currency"))
    costs.problem("exchange", "needs costs.currency, which says what it is worth in");
  for (const auto& [key, node] : table->raw()) {
    const std::string code(key.str());
    double worth = 1;
    if (const auto known = check_currency(code); !known)
      table->problem(code, known.error().message);
    else if (code == ours)
      table->problem(code, "is costs.currency itself");
    else if (table->number(code, worth, kBelievableRate))
      draft.exchange[code] = {.worth = worth};
  }
}

}  // namespace

void read_currency(TableReader& root, ScenarioDraft& draft) {
  const toml::node* node = root.get("costs");
  if (!node || !node->is_table()) return;  // read_costs tells what is wrong
  TableReader table(*node->as_table(), "costs", draft.problems);
  std::string& ours = draft.scenario.currency;
  if (table.text("currency", ours)) {
    if (const auto known = check_currency(ours); !known) {
      table.problem("currency", known.error().message);
      ours.clear();
    }
  }
  read_exchange(table, draft);
}

double note_currency(TableReader& table, std::string_view key, const std::string& currency,
                     ScenarioDraft& draft) {
  if (currency.empty()) return 1;
  if (const auto foreign = draft.exchange.find(currency); foreign != draft.exchange.end()) {
    ++foreign->second.uses;
    return foreign->second.worth;
  }
  const toml::node* node = table.get(key);
  draft.currencies.push_back(
      {.currency = currency, .node = node ? node : &table.raw(), .key = table.path_of(key)});
  return 1;
}

void settle_currency(ScenarioDraft& draft) {
  std::string& ours = draft.scenario.currency;
  for (const auto& [currency, foreign] : draft.exchange)
    if (foreign.uses > 0)
      draft.scenario.notes.push_back(fmt::format("a {} counts as {} {}, as costs.exchange says",
                                                 currency, foreign.worth, ours));
  if (draft.currencies.empty()) return;
  const bool stated = !ours.empty();
  const CurrencyUse first = draft.currencies.front();
  if (!stated) ours = first.currency;
  const std::string counted =
      stated ? "costs.currency says " + ours
             : fmt::format("{} at {} is in {}", first.key, draft.problems.where(*first.node), ours);
  for (const CurrencyUse& use : draft.currencies)
    if (use.currency != ours)
      draft.problems.add(*use.node, use.key,
                         fmt::format("is in {}, but {}; currencies are never mixed: convert the "
                                     "series first, or say in costs.exchange what a {} is worth",
                                     use.currency, counted, use.currency));
}

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

void read_costs(TableReader& root, ScenarioDraft& draft) {
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

void read_utility(TableReader& root, ScenarioDraft& draft) {
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

void read_failures(TableReader& root, ScenarioDraft& draft) {
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
