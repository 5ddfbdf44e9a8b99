#include <algorithm>

#include "page/packed_table.h"

namespace penstock {
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

}  // namespace penstock
