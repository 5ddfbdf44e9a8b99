#include "report/files/run_csv.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "report/files/csv_line.h"
#include "report/measures/metrics.h"

namespace penstock {

// jobs.csv

namespace {

/// What the trace said beyond the columns, as "user=ann;group=vc7". A job that was
/// stopped on its way also says for how long it really held GPUs.
std::string metadata(const JobRecord& record) {
  std::string out;
  const auto begin = [&](std::string_view name) -> std::string& {
    if (!out.empty()) out += ';';
    return out.append(name).append("=");
  };
  if (!record.job.user.empty()) begin("user") += record.job.user;
  if (!record.job.group.empty()) begin("group") += record.job.group;
  if (record.held != record.finish - record.first_start)
    append_seconds(begin("held_s"), record.held);
  return out;
}

/// The words of Batsim, which analysis tools look for.
std::string_view final_state(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "COMPLETED_SUCCESSFULLY";
    case Outcome::killed:
      return "COMPLETED_WALLTIME_REACHED";
  }
  return "";
}

std::optional<double> stretch(Duration turnaround, Duration execution) {
  if (execution == Duration::zero()) return std::nullopt;
  return seconds(turnaround) / seconds(execution);
}

void append_batsim_columns(CsvLine& line, const JobRecord& record, const JobsCsvSetting& setting) {
  const Job& job = record.job;
  const Duration turnaround = record.finish - job.submitted;
  const Duration execution = record.finish - record.first_start;
  line.text(job.name.empty() ? fmt::format_int(job.id.index).str() : job.name);
  line.text(setting.workload);
  line.text(job.kind);
  line.time(job.submitted - setting.origin);
  line.count(job.gpus);
  line.time(job.requested);
  line.count(record.outcome == Outcome::completed ? 1 : 0);
  line.text(final_state(record.outcome));
  line.time(record.first_start - setting.origin);
  line.time(execution);
  line.time(record.finish - setting.origin);
  line.time(record.first_start - job.submitted);
  line.time(turnaround);
  line.number(stretch(turnaround, execution));
  line.gpus(record.where);
  line.number(record.bill.energy.value());
  line.text(metadata(record));
}

void append_own_columns(CsvLine& line, const JobRecord& record, const JobsCsvSetting& setting) {
  const Job& job = record.job;
  const auto late = tardiness(record);
  line.text(setting.sites[record.site.index]);
  line.number(record.gpus_mean);
  line.number(record.clock_mean_mhz > 0 ? std::optional(record.clock_mean_mhz) : std::nullopt);
  line.number(kilowatt_hours(record.bill.energy));
  line.number(record.bill.cost.value());
  line.number(record.bill.carbon.value() / 1e3);
  line.time(job.deadline ? std::optional(*job.deadline - setting.origin) : std::nullopt);
  line.time(late);
  line.number(late ? std::optional((job.tardiness_weight * *late).value()) : std::nullopt);
  line.count(record.preemptions + record.interruptions + record.resizes + record.migrations);
  line.number(setting.rents ? std::optional(record.bill.rent.value()) : std::nullopt);
  line.number(record.predicted ? std::optional(record.predicted->value()) : std::nullopt);
  line.text(job.home == kNoSite ? std::string() : setting.sites[job.home.index]);
  line.count(record.sent.count);
  line.number(record.sent.gigabytes);
  line.number(record.sent.money().value());
}

}  // namespace

std::string_view jobs_csv_header() {
  return "job_id,workload_name,profile,submission_time,requested_number_of_resources,"
         "requested_time,success,final_state,starting_time,execution_time,finish_time,"
         "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata,"
         "site,gpus_mean,clock_mean_mhz,energy_kwh,energy_cost,carbon_kg,deadline,tardiness_s,"
         "tardiness_cost,restarts,rent_cost,predicted_cost,home,transfers,transfer_gb,transfer_"
         "cost\n";
}

void append_job(std::string& out, const JobRecord& record, const JobsCsvSetting& setting) {
  CsvLine line(out);
  append_batsim_columns(line, record, setting);
  append_own_columns(line, record, setting);
}

JobsCsv::JobsCsv(OutputFile file, JobsCsvSetting setting)
    : file_(std::move(file)), setting_(std::move(setting)) {
  file_.text() += jobs_csv_header();
}

void JobsCsv::add(const JobRecord& record) {
  append_job(file_.text(), record, setting_);
  file_.flush_if_full();
}

// stretches.csv

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
  file_.flush_if_full();
}

// timeline.csv

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
  file_.flush_if_full();
}

// reasons.csv

std::string_view reasons_csv_header() {
  return "time_s,reason\n";
}

ReasonsCsv::ReasonsCsv(OutputFile file, Time origin) : file_(std::move(file)), origin_(origin) {
  file_.text() += reasons_csv_header();
}

void ReasonsCsv::add(Time now, std::string_view reason) {
  if (reason.empty() || reason == last_) return;
  last_ = reason;
  {
    CsvLine line(file_.text());
    line.time(now - origin_);
    line.text(reason);
  }
  file_.flush_if_full();
}

}  // namespace penstock
