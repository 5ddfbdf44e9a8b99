#include <fmt/format.h>

#include <cmath>

#include "io/scenario/sections.h"

namespace penstock {
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

/// Reads one site's signals.
class SignalsReader {
 public:
  SignalsReader(TableReader& site, Draft& draft) : site_(site), draft_(draft) {}

  template <class Q>
  std::optional<Signal<Q>> read(const SignalKey& key) {
    auto table = site_.table(key.name, key.example);
    if (!table) return std::nullopt;
    const auto series = table->has("fixed") ? read_fixed(*table, key) : read_file(*table, key);
    if (key.measure == Measure::carbon)
      table->choice("kind", carbon_kind_,
                    {{"average", CarbonKind::average}, {"marginal", CarbonKind::marginal}});
    table->finish();
    if (!series) return std::nullopt;
    note_currency(site_, key.name, series->currency, draft_);
    return signal_of<Q>(*series);
  }

  std::optional<Signal<Ratio>> read_pue() {
    const toml::node* node = site_.get("pue");
    if (!node || !node->is_number()) return read<Ratio>(kPue);
    double pue = 1;
    if (!site_.number("pue", pue, {.least = 1, .most = 10})) return std::nullopt;
    return Signal<Ratio>::constant(Ratio(pue));
  }

  CarbonKind carbon_kind() const { return carbon_kind_; }
  std::optional<Time> known_until() const { return known_until_; }

 private:
  static std::optional<Series> read_fixed(TableReader& table, const SignalKey& key) {
    const auto fixed = table.quantity("fixed", key.measure, key.lowest);
    if (!fixed) return std::nullopt;
    return Series{.points = {{Time{}, fixed->value}}, .currency = fixed->currency};
  }

  std::optional<Series> read_file(TableReader& table, const SignalKey& key) {
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
  Draft& draft_;
  CarbonKind carbon_kind_ = CarbonKind::average;
  std::optional<Time> known_until_{};
};

void note_absence(TableReader& site, const std::string& name, Draft& draft) {
  if (!site.has("price"))
    draft.scenario.notes.push_back(fmt::format("site '{}' has no price: energy is free", name));
  if (!site.has("carbon"))
    draft.scenario.notes.push_back(fmt::format("site '{}' has no carbon: it emits none", name));
}

}  // namespace

SiteSignals read_signals(TableReader& site, const std::string& name, Draft& draft) {
  SiteSignals signals;
  SignalsReader reader(site, draft);
  if (auto price = reader.read<Price>(kPrice)) signals.price = std::move(*price);
  if (auto carbon = reader.read<CarbonIntensity>(kCarbon)) signals.carbon = std::move(*carbon);
  if (auto pue = reader.read_pue()) signals.pue = std::move(*pue);
  signals.cap = reader.read<Watts>(kCap);
  signals.temperature = reader.read<Celsius>(kTemperature);
  signals.carbon_kind = reader.carbon_kind();
  signals.known_until = reader.known_until();
  note_absence(site, name, draft);
  return signals;
}

}  // namespace penstock
