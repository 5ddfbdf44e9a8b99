#include "report/jobs_csv.h"

#include <fmt/format.h>

#include <utility>

#include "report/csv_line.h"
#include "report/metrics.h"

namespace penstock {
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
  file_.spill();
}

}  // namespace penstock
