#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "page/page_source.h"
#include "report/stored_summary.h"

namespace penstock {

/// One run of a summary.json, before its files are read.
struct StoredRun {
  std::size_t source = 0;  ///< which of the page's it is of
  RunSummary summary{};
  nlohmann::ordered_json measures{};  ///< its object, without sites and lists
  nlohmann::ordered_json sites{};     ///< the objects of its sites
  std::vector<std::string> site_names{};
  std::string label{};
  std::optional<std::filesystem::path> dir{};  ///< of its files, if it has any
  std::string shown_dir{};                     ///< the same for messages
  std::map<std::string, std::string> swept{};  ///< what a sweep gave it
};

/// A summary.json with its runs.
struct StoredSource {
  SummaryHead head{};
  nlohmann::ordered_json definitions{};
  std::vector<StoredRun> runs{};
  std::vector<std::string> notes{};
};

/// Reads the summary of the page's source number `index`.
Result<StoredSource> read_source(const PageSource& source, std::size_t index);

/// Labels of all runs of a page: as the table in the terminal names them, made to differ.
void give_labels(std::span<StoredRun> runs, std::span<const PageSource> sources);

}  // namespace penstock
