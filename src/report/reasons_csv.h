#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "report/output_file.h"

namespace penstock {

/// The first line of reasons.csv.
std::string_view reasons_csv_header();

/// Writes reasons.csv: what a policy says of its decisions, a row whenever that changes. Silence
/// is no change.
class ReasonsCsv {
 public:
  /// `origin` is t = 0.
  ReasonsCsv(OutputFile file, Time origin);
  void say(Time now, std::string_view reason);
  Result<Done> close() { return file_.close(); }

 private:
  OutputFile file_;
  Time origin_;
  std::string last_;
};

}  // namespace penstock
