#include <fmt/format.h>

#include <cmath>

#include "base/rng.h"
#include "io/scenario/sections.h"
#include "io/signals/issued.h"
#include "model/site_signals.h"

namespace penstock {
namespace {

enum class ForecastKind { perfect, persistence, noisy, day_ahead, file };

/// What a table says, before it is known for which signal.
struct ForecastDraft {
  ForecastKind kind = ForecastKind::persistence;
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

ForecastDraft read_forecast_draft(TableReader& table, const std::optional<LocalClock>& clock) {
  ForecastDraft plan;
  table.require("kind", "possible: perfect persistence noisy day-ahead file");
  const bool known = table.choice("kind", plan.kind,
                                  {{"perfect", ForecastKind::perfect},
                                   {"persistence", ForecastKind::persistence},
                                   {"noisy", ForecastKind::noisy},
                                   {"day-ahead", ForecastKind::day_ahead},
                                   {"file", ForecastKind::file}});
  Duration horizon{};
  if (table.duration("horizon", horizon)) plan.horizon = horizon;
  if (plan.kind == ForecastKind::noisy)
    plan.mape = read_mape(table);
  else if (table.has("mape") && known)
    table.problem("mape", "belongs to kind = \"noisy\"");
  if (plan.kind == ForecastKind::day_ahead)
    plan.market = read_market(table, clock);
  else if (table.has("published") && known)
    table.problem("published", "belongs to kind = \"day-ahead\"");
  return plan;
}

template <class Q>
ForecastRule<Q> rule_of(const ForecastDraft& plan, Rng rng) {
  ForecastRule<Q> rule{.kind = PersistenceForecast{}, .horizon = plan.horizon};
  if (plan.kind == ForecastKind::perfect) rule.kind = PerfectForecast{};
  if (plan.kind == ForecastKind::day_ahead) rule.kind = plan.market;
  if (plan.kind == ForecastKind::noisy)
    rule.kind = NoisyForecast{.mape = plan.mape, .seed = rng.next()};
  return rule;
}

template <class Q>
IssuedForecast<Q> read_issued_rule(TableReader& table, Measure measure, ScenarioDraft& draft) {
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
               ForecastRule<Q>& rule, ScenarioDraft& draft) {
  auto table = forecast.table(signal, R"({ kind = "perfect" })");
  if (!table) return;
  const ForecastDraft plan = read_forecast_draft(*table, draft.places.back().clock);
  rule = rule_of<Q>(plan, rng);
  if (plan.kind == ForecastKind::file) rule.kind = read_issued_rule<Q>(*table, measure, draft);
  if (plan.kind == ForecastKind::day_ahead && measure != Measure::price)
    table->problem("kind", "\"day-ahead\" is for prices: no market settles carbon");
  table->finish();
}

}  // namespace

SiteForecasts read_forecasts(TableReader& site, const std::string& name, ScenarioDraft& draft) {
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
    const ForecastDraft plan = read_forecast_draft(*table, draft.places.back().clock);
    if (plan.kind == ForecastKind::file) {
      table->problem("kind", R"(a file foretells one signal: write carbon = { kind = "file", … })");
      return rules;
    }
    if (plan.kind == ForecastKind::day_ahead) {
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

namespace {

/// What one key such as `price` of a site can hold.
struct SignalKey {
  std::string_view name{};
  Measure measure{};
  double lowest = -HUGE_VAL;
  std::string_view example{};
};
constexpr SignalKey kPrice{"price", Measure::price, -HUGE_VAL, R"({ fixed = "0.12 EUR/kWh" })"};
constexpr SignalKey kCarbon{"carbon", Measure::carbon, 0, R"({ fixed = "300 g/kWh" })"};
constexpr SignalKey kPue{"pue", Measure::ratio, 1, "{ fixed = 1.3 }"};
constexpr SignalKey kCap{"cap", Measure::power, 0, R"({ fixed = "500 kW" })"};
constexpr SignalKey kTemperature{"temperature", Measure::temperature, -100,
                                 R"({ fixed = "15 C" })"};

constexpr double kMostPue = 10;
constexpr std::string_view kFromTemperature = "from_temperature";

/// Reads one site's signals.
class SignalsReader {
 public:
  SignalsReader(TableReader& site, ScenarioDraft& draft) : site_(site), draft_(draft) {}

  template <class Q>
  std::optional<Signal<Q>> read(const SignalKey& key) {
    auto table = site_.table(key.name, key.example);
    if (!table) return std::nullopt;
    auto series = table->has("fixed") ? read_fixed(*table, key) : read_series_of(*table, key);
    if (key.measure == Measure::carbon)
      table->choice("kind", carbon_kind_,
                    {{"average", CarbonKind::average}, {"marginal", CarbonKind::marginal}});
    table->finish();
    if (!series) return std::nullopt;
    const double worth = note_currency(site_, key.name, series->currency, draft_);
    if (worth != 1)
      for (Series::Point& point : series->points) point.value *= worth;
    return signal_of<Q>(*series);
  }

  /// `outside` is the site's temperature, from which it may follow.
  std::optional<Signal<Ratio>> read_pue(const std::optional<Signal<Celsius>>& outside) {
    const toml::node* node = site_.get("pue");
    if (node && node->is_table() && node->as_table()->contains(kFromTemperature))
      return read_cooling(outside);
    if (!node || !node->is_number()) return read<Ratio>(kPue);
    double pue = 1;
    if (!site_.number("pue", pue, {.least = 1, .most = kMostPue})) return std::nullopt;
    return Signal<Ratio>::constant(Ratio(pue));
  }

  CarbonKind carbon_kind() const { return carbon_kind_; }
  std::optional<Time> known_until() const { return known_until_; }

 private:
  std::optional<Signal<Ratio>> read_cooling(const std::optional<Signal<Celsius>>& outside) {
    auto table = site_.table("pue");
    auto curve_table = table->table(kFromTemperature, R"({ base = 1.2, above = "15 C" })");
    table->finish();
    if (!curve_table) return std::nullopt;
    CoolingCurve curve;
    curve_table->number("base", curve.base, {.least = kPue.lowest, .most = kMostPue});
    if (const auto above = curve_table->quantity("above", Measure::temperature, -100))
      curve.above = Celsius(above->value);
    curve_table->number("slope", curve.slope, {.least = 0, .most = 1});
    curve_table->number("most", curve.most, {.least = curve.base, .most = kMostPue});
    curve_table->finish();
    if (!site_.has(kTemperature.name))
      table->problem(kFromTemperature, "needs site.temperature, from which it follows");
    if (!outside) return std::nullopt;
    return pue_of(*outside, curve);
  }

  static std::optional<Series> read_fixed(TableReader& table, const SignalKey& key) {
    const auto fixed = table.quantity("fixed", key.measure, key.lowest);
    if (!fixed) return std::nullopt;
    return Series{.points = {{Time{}, fixed->value}}, .currency = fixed->currency};
  }

  std::optional<Series> read_series_of(TableReader& table, const SignalKey& key) {
    SeriesSpec spec{.measure = key.measure, .lowest = key.lowest};
    const bool named = table.require("file", fmt::format("or write {}", key.example)) &&
                       read_path(table, "file", draft_, spec.file);
    const bool whole = named && table.require("column") && table.text("column", spec.column);
    if (key.measure == Measure::ratio) spec.unit = "ratio";
    table.text("unit", spec.unit);
    table.text("time_column", spec.time_column);
    table.choice("gap", spec.gap,
                 {{"error", GapRule::error},
                  {"hold", GapRule::hold},
                  {"interpolate", GapRule::interpolate}});
    table.choice(
        "after_end", spec.after_end,
        {{"error", AfterEnd::error}, {"hold", AfterEnd::hold}, {"repeat", AfterEnd::repeat}});
    const auto unit = parse_unit(spec.unit, spec.measure);
    if (!unit && named)
      table.problem("unit", table.has("unit") ? unit.error().message : "is missing" + units(spec));
    if (!whole || !unit) return std::nullopt;
    return load(table, spec);
  }

  /// The tail of parse_unit's message, which lists what is possible.
  static std::string units(const SeriesSpec& spec) {
    const std::string message = parse_unit("", spec.measure).error().message;
    return message.substr(std::min(message.find(';'), message.size()));
  }

  std::optional<Series> load(TableReader& table, const SeriesSpec& spec) {
    auto series = read_series(spec);
    if (!series) {
      table.problem("", series.error().message);
      return std::nullopt;
    }
    auto& scenario = draft_.scenario;
    scenario.notes.insert(scenario.notes.end(), series->notes.begin(), series->notes.end());
    SignalSpan span{
        .where = table.where(""), .file = spec.file.string(), .from = series->points.front().from};
    if (spec.after_end == AfterEnd::error) {
      span.until = series->end;
      known_until_ = std::min(known_until_.value_or(series->end), series->end);
    }
    scenario.spans.push_back(std::move(span));
    return std::move(*series);
  }

  TableReader& site_;
  ScenarioDraft& draft_;
  CarbonKind carbon_kind_ = CarbonKind::average;
  std::optional<Time> known_until_{};
};

void note_absence(TableReader& site, const std::string& name, ScenarioDraft& draft) {
  if (!site.has("price"))
    draft.scenario.notes.push_back(fmt::format("site '{}' has no price: energy is free", name));
  if (!site.has("carbon"))
    draft.scenario.notes.push_back(fmt::format("site '{}' has no carbon: it emits none", name));
}

}  // namespace

SiteSignals read_signals(TableReader& site, const std::string& name, ScenarioDraft& draft) {
  SiteSignals signals;
  SignalsReader reader(site, draft);
  if (auto price = reader.read<Price>(kPrice)) signals.price = std::move(*price);
  if (auto carbon = reader.read<CarbonIntensity>(kCarbon)) signals.carbon = std::move(*carbon);
  signals.temperature = reader.read<Celsius>(kTemperature);
  if (auto pue = reader.read_pue(signals.temperature)) signals.pue = std::move(*pue);
  signals.cap = reader.read<Watts>(kCap);
  signals.carbon_kind = reader.carbon_kind();
  signals.known_until = reader.known_until();
  note_absence(site, name, draft);
  return signals;
}

}  // namespace penstock
