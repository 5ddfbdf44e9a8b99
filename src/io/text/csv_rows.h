#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock {

/// A CSV file as Penstock itself writes them, row by row: the first row names the columns, all
/// others have as many cells, and every row ends with a line end, so that a file that was cut short
/// is noticed. Cells in quotes may hold separators, line ends and doubled quotes; these are undone
/// in place, hence the text is changed. It must outlive the rows and what cells show.
class CsvRows {
 public:
  /// Reads the names. `file` is only for messages.
  static Result<CsvRows> open(std::string& text, std::string file);

  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> find(std::string_view column) const;
  /// The place of a column that must be there.
  Result<std::size_t> column(std::string_view name) const;

  /// Goes to the next row; false at the end.
  Result<bool> next();
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  /// "file:line: column: what", of the current row.
  Error problem(std::size_t column, std::string_view what) const;

 private:
  CsvRows(std::string& text, std::string file)
      : at_(text.data()), end_(text.data() + text.size()), file_(std::move(file)) {}
  bool read_row();
  std::string_view quoted_cell();
  std::string_view plain_cell();
  Error here(std::string_view what) const;

  char* at_;
  char* end_;
  std::uint64_t line_ = 0;       ///< in which the current row begins; the first is 1
  std::uint64_t next_line_ = 1;  ///< in which the next one does
  std::string file_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
};

}  // namespace penstock
