#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "page/packed/run.h"
#include "page/packed/tables.h"

namespace penstock {

/// The bytes of a page's columns, one behind the other; equal columns are there once.
class Blob {
 public:
  /// Takes a column in; returns where it is and how to read it.
  nlohmann::ordered_json add(const PackedColumn& column);
  /// {"rows": …, "columns": {…}}.
  nlohmann::ordered_json add(const PackedTable& table);

  const std::string& bytes() const { return bytes_; }

 private:
  std::size_t place(const std::string& bytes);

  std::string bytes_;
  std::unordered_multimap<std::size_t, std::pair<std::size_t, std::size_t>> by_hash_;
};

/// Every text of a page once; the first is empty.
class Dictionary {
 public:
  std::int32_t number(std::string_view text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_{""};
  std::unordered_map<std::string, std::int32_t> numbers_{{"", 0}};
};

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
