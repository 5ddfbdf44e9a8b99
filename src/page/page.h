#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "page/stored/tables.h"

namespace penstock {

/// How many rows a page may have, so that a browser can hold it. Beyond that rows are left out,
/// with a note.
struct PageLimits {
  std::size_t jobs = 4'000'000;       ///< over all runs
  std::size_t stretches = 2'000'000;  ///< over all runs
  std::size_t samples = 2'000;        ///< of one site in one run
  std::size_t all_samples = 400'000;  ///< over all sites and runs
  std::size_t reasons = 20'000;       ///< of one run
};

/// A summary.json, and what lies beside it.
struct PageSource {
  std::string shown{};                           ///< what the page calls it
  std::string summary{};                         ///< the text of summary.json
  std::optional<std::filesystem::path> files{};  ///< folder that holds those of its runs, if any
  std::optional<StoredSweep> sweep{};            ///< if it is of a sweep
  std::vector<std::string> labels{};             ///< of its runs; made of their options if empty
};

/// Reads what simulate, sweep or study wrote to `dir`. Errors name the files as below `shown`.
Result<PageSource> open_source(const std::filesystem::path& dir, const std::string& shown);

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
