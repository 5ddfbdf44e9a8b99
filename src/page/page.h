#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "page/page_limits.h"
#include "page/page_source.h"

namespace penstock {

struct PageRequest {
  std::span<const PageSource> sources;
  std::string version{};   ///< of this program
  std::string baseline{};  ///< label of a run, or its number counted from 1; the first if empty
  PageLimits limits{};
  unsigned threads = 2;
  std::atomic<std::uint64_t>* runs_read = nullptr;  ///< counted up for a progress bar
};

/// The data of a page: its head and columns, packed as docs/formats/report.md says. Errors name
/// file, line and field.
Result<std::string> page_data(const PageRequest& request);

/// How many runs the sources have; 0 of one that cannot be read.
std::uint64_t count_runs(std::span<const PageSource> sources);

/// The page: the template with the data in the place that it marks.
Result<std::string> fill_template(std::string_view html, std::string_view data);

}  // namespace penstock
