#include <algorithm>

#include "page/packed_table.h"

namespace penstock {
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
