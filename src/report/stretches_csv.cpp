#include "report/stretches_csv.h"

#include <optional>

#include "report/csv_line.h"

namespace penstock {

std::string_view stretches_csv_header() {
  return "job_id,from_s,to_s,site,allocated_resources,clock_mhz,batch,ended_by\n";
}

StretchesCsv::StretchesCsv(OutputFile file, Time origin, std::vector<std::string> sites)
    : file_(std::move(file)), origin_(origin), sites_(std::move(sites)) {
  file_.text() += stretches_csv_header();
}

void StretchesCsv::add(const Stretch& stretch) {
  {
    CsvLine line(file_.text());
    if (stretch.job.name.empty())
      line.count(stretch.job.id.index);
    else
      line.text(stretch.job.name);
    line.time(stretch.from - origin_);
    line.time(stretch.to - origin_);
    line.text(sites_[stretch.site.index]);
    line.gpus(stretch.where);
    line.number(stretch.clock_mhz > 0 ? std::optional<double>(stretch.clock_mhz) : std::nullopt);
    line.number(stretch.batch > 0 ? std::optional(stretch.batch) : std::nullopt);
    line.text(kStretchEnds.at(static_cast<std::size_t>(stretch.ended_by)));
  }
  file_.spill();
}

}  // namespace penstock
