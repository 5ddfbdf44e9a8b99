#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/record.h"
#include "report/output_file.h"

namespace penstock {

/// The first line of stretches.csv.
std::string_view stretches_csv_header();

/// Writes stretches.csv, a row for each stretch in the order in which they end.
class StretchesCsv {
 public:
  /// `origin` is t = 0; `sites` are names, indexed by SiteId.
  StretchesCsv(OutputFile file, Time origin, std::vector<std::string> sites);
  void add(const Stretch& stretch);
  Result<Done> close() { return file_.close(); }

 private:
  OutputFile file_;
  Time origin_;
  std::vector<std::string> sites_;
};

}  // namespace penstock
