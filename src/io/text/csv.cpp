#include "io/text/csv.h"

#include <algorithm>

#include "io/text/nearest.h"
#include "io/text/number.h"

namespace penstock {
namespace {

/// Where the quoted cell that starts at `begin` (behind its quote) ends: at its
/// closing quote, or at the end of a line that forgot it.
std::size_t closing_quote(std::string_view line, std::size_t begin) {
  std::size_t at = line.find('"', begin);
  while (at != std::string_view::npos && at + 1 < line.size() && line[at + 1] == '"')
    at = line.find('"', at + 2);
  return std::min(at, line.size());
}

bool is_passed_over(std::string_view line) {
  const auto text = trim(line);
  return text.empty() || text.front() == '#';
}

}  // namespace

void split_csv(std::string_view line, std::vector<std::string_view>& cells, char separator) {
  cells.clear();
  std::size_t begin = 0;
  while (true) {
    std::size_t end = 0;
    if (begin < line.size() && line[begin] == '"') {
      end = closing_quote(line, begin + 1);
      cells.push_back(line.substr(begin + 1, end - begin - 1));
      end = line.find(separator, end);
    } else {
      end = line.find(separator, begin);
      cells.push_back(line.substr(begin, end - begin));
    }
    if (end == std::string_view::npos) return;
    begin = end + 1;
  }
}

std::string unescape(std::string_view cell) {
  std::string out;
  out.reserve(cell.size());
  for (std::size_t i = 0; i < cell.size(); ++i) {
    out += cell[i];
    if (cell[i] == '"' && i + 1 < cell.size() && cell[i + 1] == '"') ++i;
  }
  return out;
}

std::string csv_cell(std::string_view text, char separator) {
  const bool plain = text.find_first_of("\"\r\n#") == std::string_view::npos &&
                     text.find(separator) == std::string_view::npos &&
                     (text.empty() || (!is_blank(text.front()) && !is_blank(text.back())));
  if (plain) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

Result<CsvTable> CsvTable::open(std::string_view text, std::string file, char separator) {
  CsvTable table(text, std::move(file), separator);
  if (!table.next()) return Error{table.file_ + ": is empty"};
  for (const auto cell : table.cells_) table.columns_.emplace_back(trim(cell));
  return table;
}

std::optional<std::size_t> CsvTable::find(std::string_view column) const {
  const auto at = std::ranges::find(columns_, column);
  if (at == columns_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - columns_.begin());
}

Result<std::size_t> CsvTable::column(std::string_view name) const {
  if (const auto at = find(name)) return *at;
  const std::vector<std::string_view> names(columns_.begin(), columns_.end());
  std::string there;
  for (const auto column : names) there += (there.empty() ? "" : " ") + std::string(column);
  return Error{file_ + ": no column '" + std::string(name) + "'; there are: " + there +
               did_you_mean(name, names)};
}

bool CsvTable::next() {
  while (const auto line = lines_.next()) {
    if (is_passed_over(*line)) continue;
    split_csv(*line, cells_, separator_);
    return true;
  }
  return false;
}

std::string_view CsvTable::cell(std::size_t column) const {
  return column < cells_.size() ? trim(cells_[column]) : std::string_view{};
}

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
