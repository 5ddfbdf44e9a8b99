#include "io/text/csv_rows.h"

#include <algorithm>

namespace penstock {

Result<CsvRows> CsvRows::open(std::string& text, std::string file) {
  CsvRows rows(text, std::move(file));
  if (text.empty()) return Error{rows.file_ + ": is empty"};
  if (!rows.read_row()) return rows.here("is cut short: the line has no end");
  rows.columns_.assign(rows.cells_.begin(), rows.cells_.end());
  return rows;
}

std::optional<std::size_t> CsvRows::find(std::string_view column) const {
  const auto at = std::ranges::find(columns_, column);
  if (at == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns_.begin());
}

Result<std::size_t> CsvRows::column(std::string_view name) const {
  if (const auto at = find(name)) return *at;
  std::string there;
  for (const std::string& column : columns_) there += (there.empty() ? "" : " ") + column;
  return Error{file_ + ": no column '" + std::string(name) +
               "', so it is of another version; there are: " + there.substr(0, 300)};
}

Result<bool> CsvRows::next() {
  if (at_ == end_) return false;
  if (!read_row()) return here("is cut short: the line has no end");
  if (cells_.size() == columns_.size()) return true;
  return here("has " + std::to_string(cells_.size()) + " cells where there are " +
              std::to_string(columns_.size()) + " columns");
}

Error CsvRows::problem(std::size_t column, std::string_view what) const {
  return here(columns_[column] + ": " + std::string(what));
}

Error CsvRows::here(std::string_view what) const {
  return {file_ + ":" + std::to_string(line_) + ": " + std::string(what)};
}

/// False if the text ends before the row does.
bool CsvRows::read_row() {
  cells_.clear();
  line_ = next_line_;
  while (at_ != end_) {
    cells_.push_back(*at_ == '"' ? quoted_cell() : plain_cell());
    if (at_ == end_) return false;
    if (*at_++ == ',') continue;
    ++next_line_;
    if (cells_.back().ends_with('\r')) cells_.back().remove_suffix(1);
    return true;
  }
  return false;
}

/// Leaves `at_` at the separator or line end behind the cell.
std::string_view CsvRows::plain_cell() {
  const char* const begin = at_;
  while (at_ != end_ && *at_ != ',' && *at_ != '\n') ++at_;
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::string_view CsvRows::quoted_cell() {
  char* const begin = ++at_;
  char* to = begin;
  for (; at_ != end_; ++at_) {
    if (*at_ == '\n') ++next_line_;
    if (*at_ == '"') {
      ++at_;
      if (at_ == end_ || *at_ != '"') break;
    }
    *to++ = *at_;
  }
  plain_cell();  // what stands behind the closing quote is nothing of ours
  return {begin, static_cast<std::size_t>(to - begin)};
}

}  // namespace penstock
