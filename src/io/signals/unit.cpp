#include "io/signals/unit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include "io/text/number.h"

namespace penstock {
namespace {

struct UnitRow {
  Measure measure{};
  std::string_view name{};  ///< after its currency, if it begins with '/'
  double factor = 1;
  double offset = 0;
};

constexpr auto kUnits = std::to_array<UnitRow>({
    {Measure::duration, "ms", 1e-3},
    {Measure::duration, "s", 1},
    {Measure::duration, "min", 60},
    {Measure::duration, "h", 3600},
    {Measure::duration, "d", 86400},
    {Measure::duration, "weeks", 7 * 86400},
    {Measure::power, "W", 1},
    {Measure::power, "kW", 1e3},
    {Measure::power, "MW", 1e6},
    {Measure::power, "kWh/h", 1e3},
    {Measure::price, "/kWh", 1},
    {Measure::price, "/MWh", 1e-3},
    {Measure::price, "ct/kWh", 1e-2},  // euro cents
    {Measure::carbon, "g/kWh", 1},
    {Measure::carbon, "kg/kWh", 1e3},
    {Measure::carbon, "kg/MWh", 1},
    {Measure::carbon, "t/MWh", 1e3},
    {Measure::carbon, "lb/MWh", 0.45359237},
    {Measure::carbon_price, "/t", 1e-6},
    {Measure::carbon_price, "/kg", 1e-3},
    {Measure::rent, "/h", 1.0 / 3600},
    {Measure::temperature, "C", 1},
    {Measure::temperature, "K", 1, -273.15},
    {Measure::temperature, "F", 5.0 / 9, -160.0 / 9},
    {Measure::ratio, "ratio", 1},
    {Measure::ratio, "%", 1e-2},
    {Measure::memory, "GiB", 1},
    {Measure::memory, "MiB", 1.0 / 1024},
    {Measure::memory, "GB", 1e9 / (1024.0 * 1024 * 1024)},
    {Measure::clock, "MHz", 1},
    {Measure::clock, "GHz", 1e3},
    {Measure::size, "MB", 1e-3},
    {Measure::size, "GB", 1},
    {Measure::size, "TB", 1e3},
    {Measure::throughput, "Mbps", 1},
    {Measure::throughput, "Gbps", 1e3},
    {Measure::fee, "/GB", 1},
    {Measure::fee, "/TB", 1e-3},
    {Measure::transfer, "kWh/GB", 3.6e6},
    {Measure::transfer, "Wh/GB", 3.6e3},
});

constexpr auto kCurrencies = std::to_array<std::string_view>(
    {"EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "BGN",
     "CNY", "JPY", "KRW", "INR", "SGD", "TWD", "AUD", "NZD", "CAD", "BRL", "MXN", "ZAR"});

constexpr double kLongestSeconds = 1000.0 * 365 * 86400;

std::string_view word(Measure measure) {
  switch (measure) {
    case Measure::duration:
      return "a time";
    case Measure::power:
      return "a power";
    case Measure::price:
      return "a price";
    case Measure::carbon:
      return "a carbon intensity";
    case Measure::carbon_price:
      return "a carbon price";
    case Measure::rent:
      return "a rent";
    case Measure::temperature:
      return "a temperature";
    case Measure::ratio:
      return "a ratio";
    case Measure::memory:
      return "memory";
    case Measure::clock:
      return "a clock";
    case Measure::size:
      return "a size";
    case Measure::throughput:
      return "a throughput";
    case Measure::fee:
      return "a fee";
    case Measure::transfer:
      return "the energy of a transfer";
  }
  return "a number";
}

bool has_currency(const UnitRow& row) {
  return row.name.starts_with('/');
}

/// The names a user can write; of currencies only the two most common.
std::vector<std::string> names_of(Measure measure) {
  std::vector<std::string> names;
  for (const std::string_view currency : {"EUR", "USD"})
    for (const UnitRow& row : kUnits)
      if (row.measure == measure && has_currency(row))
        names.push_back(std::string(currency) + std::string(row.name));
  for (const UnitRow& row : kUnits)
    if (row.measure == measure && !has_currency(row)) names.emplace_back(row.name);
  return names;
}

std::string possible_units(Measure measure) {
  std::string text = "; " + std::string(word(measure)) + " can be in:";
  bool money = false;
  for (const std::string& name : names_of(measure)) {
    text += " " + name;
    money = money || name.starts_with("EUR");
  }
  return money ? text + " (or another currency)" : text;
}

std::optional<Unit> find_unit(std::string_view name, Measure measure) {
  const auto slash = std::min(name.find('/'), name.size());
  const std::string_view currency = name.substr(0, slash);
  const bool is_currency = std::ranges::find(kCurrencies, currency) != kCurrencies.end();
  for (const UnitRow& row : kUnits) {
    if (row.measure != measure) continue;
    if (has_currency(row) && is_currency && row.name == name.substr(slash))
      return Unit{row.factor, row.offset, std::string(currency)};
    if (!has_currency(row) && row.name == name)
      return Unit{row.factor, row.offset, name.starts_with("ct/") ? "EUR" : ""};
  }
  return std::nullopt;
}

}  // namespace

Result<Unit> parse_unit(std::string_view name, Measure measure) {
  if (const auto unit = find_unit(name, measure)) return *unit;
  return Error{"unknown unit " + in_quotes(name) + possible_units(measure)};
}

Result<Measured> parse_quantity(std::string_view text, Measure measure) {
  const std::string_view trimmed = trim(text);
  double number = 0;
  const char* const begin = trimmed.data();
  const char* const end = begin + trimmed.size();
  const auto [stop, problem] = std::from_chars(begin, end, number);
  if (problem != std::errc{} || !std::isfinite(number))
    return Error{in_quotes(text) + " does not begin with a finite number"};
  const std::string_view name = trim({stop, end});
  if (name.empty() && measure == Measure::ratio) return Measured{number};
  if (name.empty()) return Error{in_quotes(text) + " has no unit" + possible_units(measure)};
  const auto unit = parse_unit(name, measure);
  if (!unit) return unit.error();
  return Measured{number * unit->factor + unit->offset, unit->currency};
}

Result<Duration> read_duration(std::string_view text) {
  const auto known = parse_duration(trim(text));
  if (known && seconds(*known) <= kLongestSeconds) return *known;
  const auto quantity = parse_quantity(text, Measure::duration);
  if (!quantity) return quantity.error();
  if (quantity->value < 0) return Error{in_quotes(text) + " is negative"};
  return Error{in_quotes(text) + " is more than 1000 years"};
}

Result<Done> check_currency(std::string_view code) {
  if (std::ranges::find(kCurrencies, code) != kCurrencies.end()) return Done{};
  std::string known;
  for (const auto currency : kCurrencies) known += " " + std::string(currency);
  return Error{"unknown currency " + in_quotes(code) + "; there are:" + known};
}

std::string format_duration(Duration d) {
  for (const auto& [length, name] : {std::pair(86400000, " d"), std::pair(3600000, " h"),
                                     std::pair(60000, " min"), std::pair(1000, " s")})
    if (d.count() % length == 0) return std::to_string(d.count() / length) + name;
  return std::to_string(d.count()) + " ms";
}

}  // namespace penstock
