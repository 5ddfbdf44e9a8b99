#include "page/packed/tables.h"

#include <algorithm>

namespace penstock {

// Populations

namespace {

/// As people count names: "job-9" before "job-10".
int compare_names(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

bool is_before(const StoredJob* a, const StoredJob* b) {
  if (a->submitted != b->submitted) return a->submitted < b->submitted;
  return compare_names(a->name, b->name) < 0;
}

/// Did the same user ask for the same?
bool is_same(const StoredJob& a, const StoredJob& b) {
  return a.gpus == b.gpus && a.requested == b.requested && a.deadline == b.deadline &&
         a.kind == b.kind && a.user == b.user && a.home == b.home;
}

/// Both lists in one; nothing if they hold different jobs of one name and time, or more than
/// `most` together.
std::optional<std::vector<const StoredJob*>> united(std::span<const StoredJob* const> a,
                                                    std::span<const StoredJob* const> b,
                                                    std::uint64_t most) {
  std::vector<const StoredJob*> all;
  all.reserve(std::max(a.size(), b.size()));
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (all.size() >= most) return std::nullopt;
    if (j == b.size() || (i < a.size() && is_before(a[i], b[j]))) {
      all.push_back(a[i++]);
    } else if (i == a.size() || is_before(b[j], a[i])) {
      all.push_back(b[j++]);
    } else {
      if (!is_same(*a[i], *b[j])) return std::nullopt;
      all.push_back(a[i++]);
      ++j;
    }
  }
  return all;
}

}  // namespace

std::vector<const StoredJob*> in_order(std::span<const StoredJob> jobs) {
  std::vector<const StoredJob*> sorted;
  sorted.reserve(jobs.size());
  for (const StoredJob& job : jobs) sorted.push_back(&job);
  std::ranges::stable_sort(sorted, is_before);
  return sorted;
}

bool join(Population& population, std::span<const StoredJob* const> jobs, std::uint64_t submitted) {
  if (population.submitted != submitted) return false;
  const auto most = std::max<std::uint64_t>({submitted, population.jobs.size(), jobs.size()});
  auto all = united(population.jobs, jobs, most);
  if (!all) return false;
  population.jobs = *std::move(all);
  return true;
}

std::vector<const StoredJob*> matched(const Population& population,
                                      std::span<const StoredJob* const> jobs) {
  std::vector<const StoredJob*> found(population.jobs.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.size() && next < jobs.size(); ++i)
    if (!is_before(population.jobs[i], jobs[next])) found[i] = jobs[next++];
  return found;
}

// Jobs

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

// Stretches

namespace {

/// One range of GPUs of a stretch whose job is known.
struct Bar {
  const StoredStretch* stretch = nullptr;
  const GpuRange* range = nullptr;
  std::int32_t job = 0;

  Duration length() const { return stretch->to - stretch->from; }
};

bool held(const StoredJob* job, Duration from, Duration to) {
  return job != nullptr && job->start <= from && to <= job->finish;
}

std::vector<Bar> bars_of(const StoredStretches& stretches, const StretchScope& scope) {
  std::vector<Bar> bars;
  bars.reserve(stretches.ranges.size());
  for (const StoredStretch& stretch : stretches.rows) {
    const auto job = scope.names.row(stretch.job, stretch.from, stretch.to, scope.jobs);
    if (!job) continue;
    for (std::uint32_t i = 0; i < stretch.ranges; ++i)
      bars.push_back({&stretch, &stretches.ranges[stretch.first_range + i], *job});
  }
  return bars;
}

/// Keeps the longest `most`.
void keep_longest(std::vector<Bar>& bars, std::size_t most) {
  if (bars.size() <= most) return;
  const auto is_longer = [](const Bar& a, const Bar& b) {
    if (a.length() != b.length()) return a.length() > b.length();
    return a.range < b.range;
  };
  std::ranges::nth_element(bars, bars.begin() + static_cast<std::ptrdiff_t>(most), is_longer);
  bars.resize(most);
}

template <class Of>
std::vector<std::int32_t> values_of(std::span<const Bar> bars, const Of& of) {
  std::vector<std::int32_t> values;
  values.reserve(bars.size());
  for (const Bar& bar : bars) values.push_back(of(bar));
  return values;
}

}  // namespace

JobNames::JobNames(const Population& population) : next_(population.jobs.size(), -1) {
  first_.reserve(population.jobs.size());
  for (std::size_t i = population.jobs.size(); i-- > 0;) {
    const auto row = static_cast<std::int32_t>(i);
    const auto [found, added] = first_.emplace(population.jobs[i]->name, row);
    if (added) continue;
    next_[i] = found->second;
    found->second = row;
  }
}

std::optional<std::int32_t> JobNames::row(std::string_view name, Duration from, Duration to,
                                          std::span<const StoredJob* const> jobs) const {
  const auto found = first_.find(name);
  if (found == first_.end()) return std::nullopt;
  for (std::int32_t row = found->second; row >= 0; row = next_[static_cast<std::size_t>(row)])
    if (held(jobs[static_cast<std::size_t>(row)], from, to)) return row;
  return std::nullopt;
}

PackedTable pack_stretches(const StoredStretches& stretches, const StretchScope& scope) {
  std::vector<Bar> bars = bars_of(stretches, scope);
  keep_longest(bars, scope.most_rows);
  std::ranges::sort(bars, [](const Bar& a, const Bar& b) {
    if (a.stretch->from != b.stretch->from) return a.stretch->from < b.stretch->from;
    return a.range->first < b.range->first;
  });
  PackedTable table{.rows = bars.size(), .left_out = stretches.ranges.size() - bars.size()};
  const auto whole = [&](std::string_view name, const auto& of) {
    table.columns.emplace_back(name, pack_whole(values_of(bars, of)));
  };
  const TimeUnit unit = scope.unit;
  whole("job", [](const Bar& bar) { return bar.job; });
  table.columns.emplace_back(
      "from",
      pack_growing(values_of(bars, [&](const Bar& b) { return unit.of(b.stretch->from); })));
  // Both ends are rounded, not the length: bars that touch go on touching.
  whole("length",
        [&](const Bar& bar) { return unit.of(bar.stretch->to) - unit.of(bar.stretch->from); });
  whole("gpu", [](const Bar& bar) { return static_cast<std::int32_t>(bar.range->first.index); });
  whole("count", [](const Bar& bar) { return static_cast<std::int32_t>(bar.range->count); });
  whole("clock", [](const Bar& bar) {
    const std::uint32_t mhz = bar.stretch->clock_mhz;
    return mhz == 0 || mhz > INT32_MAX ? kNoWhole : static_cast<std::int32_t>(mhz);
  });
  whole("end", [](const Bar& bar) { return static_cast<std::int32_t>(bar.stretch->end); });
  return table;
}

// Samples

namespace {

using Samples = std::span<const StoredSample>;

PackedColumn counts(Samples samples, std::uint32_t StoredSample::* field) {
  std::vector<std::int32_t> values;
  values.reserve(samples.size());
  for (const StoredSample& sample : samples)
    values.push_back(static_cast<std::int32_t>(std::min<std::uint32_t>(sample.*field, INT32_MAX)));
  return pack_whole(values);
}

PackedColumn numbers(Samples samples, float StoredSample::* field) {
  std::vector<float> values;
  values.reserve(samples.size());
  for (const StoredSample& sample : samples) values.push_back(sample.*field);
  return pack_numbers(values);
}

}  // namespace

PackedTable pack_samples(Samples samples, TimeUnit unit) {
  std::vector<std::int32_t> times;
  times.reserve(samples.size());
  for (const StoredSample& sample : samples) times.push_back(unit.of(sample.time));
  PackedTable table{.rows = samples.size()};
  table.columns.emplace_back("time", pack_growing(times));
  table.columns.emplace_back("busy", counts(samples, &StoredSample::busy));
  table.columns.emplace_back("idle", counts(samples, &StoredSample::idle));
  table.columns.emplace_back("sleeping", counts(samples, &StoredSample::sleeping));
  table.columns.emplace_back("queued", counts(samples, &StoredSample::queued));
  table.columns.emplace_back("running", counts(samples, &StoredSample::running));
  table.columns.emplace_back("power", numbers(samples, &StoredSample::power));
  table.columns.emplace_back("price", numbers(samples, &StoredSample::price));
  table.columns.emplace_back("carbon", numbers(samples, &StoredSample::carbon));
  table.columns.emplace_back("cap", numbers(samples, &StoredSample::cap));
  return table;
}

}  // namespace penstock
