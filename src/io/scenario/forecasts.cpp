#include <fmt/format.h>

#include "base/rng.h"
#include "io/scenario/sections.h"
#include "io/signals/issued.h"

namespace penstock {
namespace {

enum class Kind { perfect, persistence, noisy, day_ahead, file };

/// What a table says, before it is known for which signal.
struct Plan {
  Kind kind = Kind::persistence;
  std::optional<Duration> horizon{};
  double mape = 0;
  DayAheadForecast market{};
};

double read_mape(TableReader& table) {
  if (!table.require("mape", "the mean absolute error, such as 0.1 or \"10 %\"")) return 0;
  const auto mape = table.quantity("mape", Measure::ratio, 0);
  if (mape && mape->value > 0.5) table.problem("mape", "must be at most 0.5");
  return mape ? mape->value : 0;
}

/// When a market's results for the next day are out, by the clock of the site.
DayAheadForecast read_market(TableReader& table, const std::optional<LocalClock>& clock) {
  DayAheadForecast market{.clock = clock.value_or(LocalClock{})};
  if (!clock)
    table.problem("kind",
                  "\"day-ahead\" goes by the days of the site's clock: the site needs utc_offset, "
                  "and dst where clocks are put forward in summer");
  std::string text;
  if (!table.require("published",
                     "the time of day at which prices of the next day are out, such "
                     "as \"13:00\"") ||
      !table.text("published", text))
    return market;
  const auto time = parse_time("1970-01-01T" + text + "Z");
  if (!time || text.size() != 5 || time->time_since_epoch() >= std::chrono::hours(24))
    table.problem("published", fmt::format("'{}' is no time of day, such as \"13:00\"", text));
  else
    market.published = time->time_since_epoch();
  return market;
}

Plan read_plan(TableReader& table, const std::optional<LocalClock>& clock) {
  Plan plan;
  table.require("kind", "possible: perfect persistence noisy day-ahead file");
  const bool known = table.choice("kind", plan.kind,
                                  {{"perfect", Kind::perfect},
                                   {"persistence", Kind::persistence},
                                   {"noisy", Kind::noisy},
                                   {"day-ahead", Kind::day_ahead},
                                   {"file", Kind::file}});
  Duration horizon{};
  if (table.duration("horizon", horizon)) plan.horizon = horizon;
  if (plan.kind == Kind::noisy)
    plan.mape = read_mape(table);
  else if (table.has("mape") && known)
    table.problem("mape", "belongs to kind = \"noisy\"");
  if (plan.kind == Kind::day_ahead)
    plan.market = read_market(table, clock);
  else if (table.has("published") && known)
    table.problem("published", "belongs to kind = \"day-ahead\"");
  return plan;
}

template <class Q>
ForecastRule<Q> rule_of(const Plan& plan, Rng rng) {
  ForecastRule<Q> rule{.kind = PersistenceForecast{}, .horizon = plan.horizon};
  if (plan.kind == Kind::perfect) rule.kind = PerfectForecast{};
  if (plan.kind == Kind::day_ahead) rule.kind = plan.market;
  if (plan.kind == Kind::noisy) rule.kind = NoisyForecast{.mape = plan.mape, .seed = rng.next()};
  return rule;
}

template <class Q>
IssuedForecast<Q> read_file(TableReader& table, Measure measure, Draft& draft) {
  IssuedSpec spec{.measure = measure};
  const bool whole = table.require("file") && read_path(table, "file", draft, spec.file) &&
                     table.require("column") && table.text("column", spec.column) &&
                     table.require("unit") && table.text("unit", spec.unit);
  table.text("issue_column", spec.issue_column);
  table.text("lead_column", spec.lead_column);
  if (!whole) return {};
  auto series = read_issued(spec);
  if (!series) table.problem("", series.error().message);
  if (!series) return {};
  const double worth = note_currency(table, "unit", series->currency, draft);
  for (IssuedSeries::Issue& issue : series->issues)
    for (Series::Point& point : issue.points) point.value *= worth;
  return issued_of<Q>(*series);
}

/// The rule of one signal alone, under its own key.
template <class Q>
void read_rule(TableReader& forecast, std::string_view signal, Measure measure, Rng rng,
               ForecastRule<Q>& rule, Draft& draft) {
  auto table = forecast.table(signal, R"({ kind = "perfect" })");
  if (!table) return;
  const Plan plan = read_plan(*table, draft.places.back().clock);
  rule = rule_of<Q>(plan, rng);
  if (plan.kind == Kind::file) rule.kind = read_file<Q>(*table, measure, draft);
  if (plan.kind == Kind::day_ahead && measure != Measure::price)
    table->problem("kind", "\"day-ahead\" is for prices: no market settles carbon");
  table->finish();
}

}  // namespace

SiteForecasts read_forecasts(TableReader& site, const std::string& name, Draft& draft) {
  SiteForecasts rules{.price = {.kind = PersistenceForecast{}},
                      .carbon = {.kind = PersistenceForecast{}}};
  auto table = site.table("forecast", R"({ kind = "persistence" })");
  if (!table) return rules;
  const Rng rng = Rng(draft.scenario.seed).stream("forecast").stream(name);
  const Rng price_rng = rng.stream("price");
  const Rng carbon_rng = rng.stream("carbon");
  if (table->has("price") || table->has("carbon")) {
    read_rule(*table, "price", Measure::price, price_rng, rules.price, draft);
    read_rule(*table, "carbon", Measure::carbon, carbon_rng, rules.carbon, draft);
  } else {
    const Plan plan = read_plan(*table, draft.places.back().clock);
    if (plan.kind == Kind::file) {
      table->problem("kind", R"(a file foretells one signal: write carbon = { kind = "file", … })");
      return rules;
    }
    if (plan.kind == Kind::day_ahead) {
      table->problem("kind",
                     R"(no market settles carbon: write price = { kind = "day-ahead", … })");
      return rules;
    }
    rules.price = rule_of<Price>(plan, price_rng);
    rules.carbon = rule_of<CarbonIntensity>(plan, carbon_rng);
  }
  table->finish();
  return rules;
}

}  // namespace penstock
