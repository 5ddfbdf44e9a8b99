#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/placement.h"

namespace penstock {

/// Appends the fields of one line of CSV to a text. An absent value is an empty
/// field. Ends the line when it goes out of scope.
class CsvLine {
 public:
  explicit CsvLine(std::string& out) : out_(out) {}
  CsvLine(const CsvLine&) = delete;
  CsvLine& operator=(const CsvLine&) = delete;
  ~CsvLine() { out_ += '\n'; }

  /// In quotes only where the text needs them.
  void text(std::string_view value);
  void count(std::uint64_t value);
  /// In the fewest digits that read back exactly.
  void number(std::optional<double> value);
  /// In seconds, with milliseconds if there are any: "90", "0.250".
  void time(std::optional<Duration> value);
  /// As an interval set, neighbours joined: "0-3 7".
  void gpus(const Placement& where);

 private:
  void separate();

  std::string& out_;
  bool first_ = true;
};

/// Appends a time in seconds the way CsvLine::time writes it.
void append_seconds(std::string& out, Duration value);

}  // namespace penstock
