#include "io/traces/write.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "io/text/csv.h"

namespace penstock {
namespace {

/// Seconds, exact to the millisecond, without needless zeros.
std::string exact_seconds(Duration d) {
  const auto whole = d.count() / 1000;
  const auto rest = d.count() % 1000;
  return rest == 0 ? fmt::format("{}", whole) : fmt::format("{}.{:03}", whole, rest);
}

std::string list_parents(const Job& job) {
  std::string out;
  for (const JobId parent : job.parents)
    out += (out.empty() ? "" : " ") + std::to_string(parent.index);
  return out;
}

/// NameNumbers for names, in order of first appearance; -1 for none.
class NameNumbers {
 public:
  std::int64_t operator()(const std::string& name) {
    if (name.empty()) return -1;
    return numbers_.emplace(name, static_cast<std::int64_t>(numbers_.size()) + 1).first->second;
  }

 private:
  std::map<std::string, std::int64_t> numbers_;
};

}  // namespace

TraceCsvWriter::TraceCsvWriter(std::ostream& out) : out_(out) {
  for (std::size_t i = 0; i < kCsvColumns.size(); ++i)
    out_ << (i == 0 ? "" : ",") << kCsvColumns[i];
  out_ << '\n';
}

void TraceCsvWriter::write(const TracedJob& traced) {
  const auto& job = traced.job;
  out_ << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", job.id.index,
                      csv_cell(job.name), format_time(job.submitted), job.gpus,
                      exact_seconds(job.requested), exact_seconds(traced.actual),
                      job.deadline ? format_time(*job.deadline) : "", job.priority,
                      job.tardiness_weight.value(), list_parents(job), csv_cell(job.user),
                      csv_cell(job.group), csv_cell(job.kind), traced.load,
                      csv_cell(traced.gpu_spec), job.batch > 0 ? fmt::format("{}", job.batch) : "");
}

void write_csv(std::ostream& out, std::span<const TracedJob> jobs) {
  TraceCsvWriter writer(out);
  for (const auto& traced : jobs) writer.write(traced);
}

void write_swf(std::ostream& out, std::span<const TracedJob> jobs) {
  const Time first = jobs.empty() ? Time{} : jobs.front().job.submitted;
  const auto start = std::chrono::floor<std::chrono::seconds>(first);
  out << "; Version: 2.2\n; Note: written by penstock; processors are GPUs\n; MaxJobs: "
      << jobs.size() << "\n; UnixStartTime: " << start.time_since_epoch().count() << '\n';
  NameNumbers users;
  NameNumbers groups;
  NameNumbers kinds;
  for (const auto& traced : jobs) {
    const auto& job = traced.job;
    out << fmt::format("{} {} -1 {} {} -1 -1 {} {} -1 1 {} {} {} -1 -1 -1 -1\n", job.id.index + 1,
                       exact_seconds(job.submitted - start), exact_seconds(traced.actual), job.gpus,
                       job.gpus, exact_seconds(job.requested), users(job.user), groups(job.group),
                       kinds(job.kind));
  }
}

}  // namespace penstock
