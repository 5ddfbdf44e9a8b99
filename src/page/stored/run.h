#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "page/page.h"
#include "page/stored/tables.h"
#include "report/files/summary_json.h"

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
  std::string shown_dir{};                     ///< what messages call it
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
void assign_labels(std::span<StoredRun> runs, std::span<const PageSource> sources);

/// The texts of the files of a run, to which its tables point.
struct RunTexts {
  std::optional<std::string> jobs{};
  std::optional<std::string> stretches{};
  std::optional<std::string> timeline{};
  std::optional<std::string> reasons{};
};

/// What the files of a run hold; what is not there is absent, and told in `notes`.
struct RunTables {
  RunTexts texts{};
  std::optional<std::vector<StoredJob>> jobs{};
  std::optional<StoredStretches> stretches{};
  std::optional<StoredTimeline> timeline{};
  std::optional<std::vector<StoredReason>> reasons{};
  std::vector<std::string> notes{};
};

/// Reads the files of a run. One whose jobs are not as many as its summary counts is an error.
Result<RunTables> read_tables(const StoredRun& run);

/// Reads tables whose texts are at hand.
Result<RunTables> parse_tables(const StoredRun& run, RunTexts texts);

}  // namespace penstock
