#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "page/blob.h"
#include "page/packed_run.h"

namespace penstock {

/// What is known of a page before the files of its runs are read.
struct PageHead {
  std::string version{};
  std::vector<StoredRun> runs{};
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  std::vector<std::string> notes{};
  std::size_t baseline = 0;

  /// Takes the runs of a source in; one without any is an error.
  Result<Done> add(const PageSource& given, StoredSource stored);
  /// By label, or by number counted from 1. Runs must have their labels.
  Result<Done> choose_baseline(const std::string& wanted);
};

/// The head as JSON; columns go to the blob.
std::string head_text(const PageHead& head, std::span<const RunTables> tables,
                      const PackedRuns& packed, const PageLimits& limits, Blob& blob);

}  // namespace penstock
