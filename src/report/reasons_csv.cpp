#include "report/reasons_csv.h"

#include <utility>

#include "report/csv_line.h"

namespace penstock {

std::string_view reasons_csv_header() {
  return "time_s,reason\n";
}

ReasonsCsv::ReasonsCsv(OutputFile file, Time origin) : file_(std::move(file)), origin_(origin) {
  file_.text() += reasons_csv_header();
}

void ReasonsCsv::say(Time now, std::string_view reason) {
  if (reason.empty() || reason == last_) return;
  last_ = reason;
  {
    CsvLine line(file_.text());
    line.time(now - origin_);
    line.text(reason);
  }
  file_.spill();
}

}  // namespace penstock
