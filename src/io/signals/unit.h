#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace penstock {

/// What a number in a file can measure. Each has its units; see unit.cpp.
enum class Measure {
  duration,      ///< in seconds
  power,         ///< in watts
  price,         ///< in money per kilowatt-hour
  carbon,        ///< in grams of CO2 per kilowatt-hour
  carbon_price,  ///< in money per gram of CO2
  rent,          ///< in money per second
  temperature,   ///< in degrees Celsius
  ratio,         ///< as a plain number
  memory,        ///< in GiB
  clock,         ///< in MHz
  size,          ///< of files, in gigabytes (10^9 bytes)
  throughput,    ///< in megabits per second
  fee,           ///< in money per gigabyte
  transfer,      ///< in joules per gigabyte
};

/// How a number in this unit becomes one of the measure: value · factor + offset.
struct Unit {
  double factor = 1;
  double offset = 0;
  std::string currency{};  ///< "EUR"; empty where no money is in it
};

/// A number in the measure's own unit.
struct Measured {
  double value = 0;
  std::string currency{};
};

/// The unit of that name. The error lists the possible ones.
Result<Unit> parse_unit(std::string_view name, Measure measure);

/// "0.12 USD/kWh": a finite number and its unit. Only ratios go without one.
Result<Measured> parse_quantity(std::string_view text, Measure measure);

/// "90 s", "10 min", "3 d". Not negative.
Result<Duration> read_duration(std::string_view text);

/// Is it the three letters of a currency we know? The error lists them.
Result<Done> check_currency(std::string_view code);

/// "1 h", "15 min", "90 s": the largest unit in which it is whole.
std::string format_duration(Duration d);

}  // namespace penstock
