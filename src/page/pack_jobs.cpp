#include <algorithm>

#include "page/packed_table.h"

namespace penstock {
namespace {

using Jobs = std::span<const StoredJob* const>;

/// A column of whole numbers, undefined for jobs that never ended.
template <class Of>
PackedColumn whole(Jobs jobs, const Of& of) {
  std::vector<std::int32_t> values;
  values.reserve(jobs.size());
  for (const StoredJob* job : jobs) values.push_back(job == nullptr ? kNoWhole : of(*job));
  return pack_whole(values);
}

PackedColumn numbers(Jobs jobs, float StoredJob::* field) {
  std::vector<float> values;
  values.reserve(jobs.size());
  for (const StoredJob* job : jobs) values.push_back(job == nullptr ? kUndefined : job->*field);
  return pack_numbers(values);
}

std::int32_t at_most(std::uint32_t count) {
  return static_cast<std::int32_t>(std::min<std::uint32_t>(count, INT32_MAX));
}

/// Of jobs that never ended it says no.
PackedColumn killed(Jobs jobs) {
  std::vector<std::int32_t> values;
  values.reserve(jobs.size());
  for (const StoredJob* job : jobs) values.push_back(job != nullptr && job->killed ? 1 : 0);
  return pack_whole(values);
}

}  // namespace

PackedTable pack_jobs(Jobs jobs, TimeUnit unit) {
  PackedTable table{.rows = jobs.size()};
  const auto time = [&](std::string_view name, const auto& of) {
    table.columns.emplace_back(name,
                               whole(jobs, [&](const StoredJob& job) { return unit.of(of(job)); }));
  };
  time("wait", [](const StoredJob& job) { return job.start - job.submitted; });
  time("run", [](const StoredJob& job) { return job.finish - job.start; });
  time("held", [](const StoredJob& job) { return job.held; });
  table.columns.emplace_back("gpus", numbers(jobs, &StoredJob::gpus_mean));
  table.columns.emplace_back("clock", numbers(jobs, &StoredJob::clock_mhz));
  table.columns.emplace_back("energy", numbers(jobs, &StoredJob::energy_kwh));
  table.columns.emplace_back("cost", numbers(jobs, &StoredJob::cost));
  table.columns.emplace_back("carbon", numbers(jobs, &StoredJob::carbon_kg));
  table.columns.emplace_back("predicted", numbers(jobs, &StoredJob::predicted));
  time("tardiness", [](const StoredJob& job) { return job.tardiness; });
  table.columns.emplace_back(
      "restarts", whole(jobs, [](const StoredJob& job) { return at_most(job.restarts); }));
  table.columns.emplace_back("site",
                             whole(jobs, [](const StoredJob& job) { return at_most(job.site); }));
  table.columns.emplace_back("killed", killed(jobs));
  return table;
}

}  // namespace penstock
