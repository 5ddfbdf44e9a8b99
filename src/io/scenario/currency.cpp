// The one currency of a scenario: `currency` and `exchange` of [costs].
#include <fmt/format.h>

#include "io/scenario/sections.h"

namespace penstock {
namespace {

constexpr Range kBelievableRate{.least = 1e-6, .most = 1e6};

/// What one unit of another currency is worth: { USD = 0.845 }.
void read_exchange(TableReader& costs, Draft& draft) {
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

void read_currency(TableReader& root, Draft& draft) {
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
                     Draft& draft) {
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

void settle_currency(Draft& draft) {
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

}  // namespace penstock
