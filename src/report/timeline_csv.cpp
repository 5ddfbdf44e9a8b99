#include "report/timeline_csv.h"

#include <utility>

#include "report/csv_line.h"

namespace penstock {

std::string_view timeline_csv_header() {
  return "time_s,site,busy_gpus,idle_gpus,sleeping_nodes,queued_jobs,running_jobs,power_w,price,"
         "carbon_g_per_kwh,cap_w\n";
}

void append_timeline(std::string& out, const TimelineRow& row, Time origin) {
  CsvLine line(out);
  line.time(row.time - origin);
  line.text(row.site);
  line.count(row.busy_gpus);
  line.count(row.idle_gpus);
  line.count(row.sleeping_nodes);
  line.count(row.queued_jobs);
  line.count(row.running_jobs);
  line.number(row.power.value());
  line.number(row.price.value());
  line.number(row.carbon.value());
  line.number(row.cap ? std::optional(row.cap->value()) : std::nullopt);
}

TimelineCsv::TimelineCsv(OutputFile file, Time origin) : file_(std::move(file)), origin_(origin) {
  file_.text() += timeline_csv_header();
}

void TimelineCsv::add(const TimelineRow& row) {
  append_timeline(file_.text(), row, origin_);
  file_.spill();
}

}  // namespace penstock
