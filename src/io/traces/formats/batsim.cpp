// Batsim workloads: {nb_res, jobs [{id, subtime, res, profile, walltime?}],
// profiles {name: {type: delay, delay} or {type: parallel_homogeneous, cpu, com}}}.
#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>

#include "io/text/number.h"
#include "io/traces/json.h"
#include "io/traces/rows.h"

namespace penstock {

Result<Done> read_batsim(std::string_view text, TraceRows& rows);

namespace {

using nlohmann::json;

/// Flops per second of a device, for profiles that count flops: Batsim takes it
/// from a platform file that we do not read.
constexpr double kFlopsPerSecond = 1e9;

Duration batsim_run_time(Row& row, const json& profile) {
  const auto& type = member(profile, "type");
  if (type == "delay") return row.duration("delay", number_in(row, profile, "delay"), kSecond);
  if (type == "parallel_homogeneous" || type == "msg_par_hg")
    return row.duration("cpu", number_in(row, profile, "cpu") / kFlopsPerSecond, kSecond);
  row.fail("type", "not supported",
           (type.is_string() ? in_quotes(type.get<std::string>()) : "none") +
               " is not supported; there are: delay parallel_homogeneous");
  return Duration(1);
}

void fill_batsim_job(Row& row, const json& entry, const json& profiles) {
  auto& traced = row.job;
  traced.job.submitted = row.offset("subtime", number_in(row, entry, "subtime"), kSecond);
  traced.job.gpus = row.gpus("res", number_in(row, entry, "res"));
  traced.job.kind = text_in(row, entry, "profile");
  const auto& profile = member(profiles, traced.job.kind.c_str());
  if (profile.is_null()) {
    row.fail("profile", "missing", "there is no profile " + in_quotes(traced.job.kind));
  } else {
    traced.actual = batsim_run_time(row, profile);
  }
  if (member(entry, "walltime").is_null()) return;
  const double walltime = number_in(row, entry, "walltime");
  if (walltime == -1) return;  // the format's word for none
  traced.job.requested = row.duration("walltime", walltime, kSecond);
}

bool counts_flops(const json& profiles) {
  for (const auto& profile : profiles)
    if (member(profile, "type") != "delay") return true;
  return false;
}

}  // namespace

Result<Done> read_batsim(std::string_view text, TraceRows& rows) {
  const auto document = parse_json(text, rows.file());
  if (!document) return document.error();
  const auto& jobs = member(*document, "jobs");
  const auto& profiles = member(*document, "profiles");
  if (!jobs.is_array()) return Error{rows.file() + ": jobs: is not a list"};
  if (!profiles.is_object()) return Error{rows.file() + ": profiles: is not a table"};
  if (counts_flops(profiles))
    rows.note("parallel profiles run at 10⁹ flops a second and do not communicate");
  std::deque<std::string> ids;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Row row(rows.open(), i, "jobs");
    ids.push_back(text_in(row, jobs[i], "id"));
    rows.unique(row, "id", ids.back());
    row.job.job.name = ids.back();
    fill_batsim_job(row, jobs[i], profiles);
    if (!rows.close(row)) break;
  }
  return Done{};
}

}  // namespace penstock
