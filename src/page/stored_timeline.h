#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "page/row_reader.h"

namespace penstock {

/// A row of timeline.csv, its time since the time origin. NaN is undefined.
struct StoredSample {
  Duration time{};
  std::uint32_t busy = 0;
  std::uint32_t idle = 0;
  std::uint32_t sleeping = 0;
  std::uint32_t queued = 0;
  std::uint32_t running = 0;
  float power = kUndefined;
  float price = kUndefined;
  float carbon = kUndefined;
  float cap = kUndefined;
};

/// The rows of each site, in order of time; indexed by the place of its name in `sites`.
using StoredTimeline = std::vector<std::vector<StoredSample>>;

/// Reads a whole timeline.csv. The text is changed.
Result<StoredTimeline> parse_timeline(std::string& text, const std::string& file,
                                      std::span<const std::string> sites);

/// At most `most` rows: each stands for `factor` rows in a row, from the time of the first on, with
/// the mean of all but queued jobs, of which it has the most.
std::vector<StoredSample> thinned(std::span<const StoredSample> samples, std::size_t factor);
/// Every how many rows are to be one so that `rows` become at most `most`; 1 if they are so few.
std::size_t thinning(std::size_t rows, std::size_t most);

}  // namespace penstock
