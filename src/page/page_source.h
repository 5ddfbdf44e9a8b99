#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "page/stored_texts.h"

namespace penstock {

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

}  // namespace penstock
