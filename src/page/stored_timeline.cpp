#include "page/stored_timeline.h"

#include <algorithm>
#include <cmath>

#include "io/text/number.h"
#include "page/named_places.h"

namespace penstock {
namespace {

struct TimelineColumns {
  explicit TimelineColumns(RowReader& rows)
      : time(rows.need("time_s")),
        site(rows.need("site")),
        busy(rows.need("busy_gpus")),
        idle(rows.need("idle_gpus")),
        sleeping(rows.need("sleeping_nodes")),
        queued(rows.need("queued_jobs")),
        running(rows.need("running_jobs")),
        power(rows.find("power_w")),
        price(rows.find("price")),
        carbon(rows.find("carbon_g_per_kwh")),
        cap(rows.find("cap_w")) {}
  std::size_t time, site, busy, idle, sleeping, queued, running;
  MaybeColumn power, price, carbon, cap;
};

StoredSample read_sample(RowReader& rows, const TimelineColumns& at) {
  return {.time = rows.time(at.time),
          .busy = rows.count(at.busy),
          .idle = rows.count(at.idle),
          .sleeping = rows.count(at.sleeping),
          .queued = rows.count(at.queued),
          .running = rows.count(at.running),
          .power = rows.number(at.power),
          .price = rows.number(at.price),
          .carbon = rows.number(at.carbon),
          .cap = rows.number(at.cap)};
}

/// The mean of what is defined; undefined if nothing is.
float mean(std::span<const StoredSample> samples, float StoredSample::* field) {
  double sum = 0;
  int count = 0;
  for (const StoredSample& sample : samples)
    if (!std::isnan(sample.*field)) {
      sum += static_cast<double>(sample.*field);
      ++count;
    }
  return count == 0 ? kUndefined : static_cast<float>(sum / count);
}

std::uint32_t mean(std::span<const StoredSample> samples, std::uint32_t StoredSample::* field) {
  std::uint64_t sum = 0;
  for (const StoredSample& sample : samples) sum += sample.*field;
  return static_cast<std::uint32_t>((sum + samples.size() / 2) / samples.size());
}

StoredSample joined(std::span<const StoredSample> samples) {
  StoredSample one{.time = samples.front().time};
  for (const auto field :
       {&StoredSample::busy, &StoredSample::idle, &StoredSample::sleeping, &StoredSample::running})
    one.*field = mean(samples, field);
  one.queued = std::ranges::max(samples, {}, &StoredSample::queued).queued;
  for (const auto field :
       {&StoredSample::power, &StoredSample::price, &StoredSample::carbon, &StoredSample::cap})
    one.*field = mean(samples, field);
  return one;
}

}  // namespace

Result<StoredTimeline> parse_timeline(std::string& text, const std::string& file,
                                      std::span<const std::string> sites) {
  auto opened = CsvRows::open(text, file);
  if (!opened) return std::move(opened).error();
  RowReader rows(*opened);
  const TimelineColumns at(rows);
  const NamedPlaces places(sites);
  StoredTimeline timeline(sites.size());
  while (rows.next()) {
    const auto site = places.of(rows.text(at.site));
    if (!site) {
      rows.refuse(at.site, in_quotes(rows.text(at.site)) + " is not in summary.json");
      break;
    }
    std::vector<StoredSample>& samples = timeline[*site];
    samples.push_back(read_sample(rows, at));
    if (samples.size() > 1 && samples.back().time < samples[samples.size() - 2].time)
      rows.refuse(at.time, "is before the site's last row");
  }
  if (rows.problem()) return *rows.problem();
  return timeline;
}

std::size_t thinning(std::size_t rows, std::size_t most) {
  return rows <= most ? 1 : (rows + most - 1) / most;
}

std::vector<StoredSample> thinned(std::span<const StoredSample> samples, std::size_t factor) {
  if (factor <= 1) return {samples.begin(), samples.end()};
  std::vector<StoredSample> few;
  for (std::size_t at = 0; at < samples.size(); at += factor)
    few.push_back(joined(samples.subspan(at, std::min(factor, samples.size() - at))));
  return few;
}

}  // namespace penstock
