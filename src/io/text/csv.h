#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/text/lines.h"

namespace penstock {

/// Splits one line into views of its cells. A cell in double quotes loses them
/// and may hold separators; quotes doubled inside it stay doubled (unescape()
/// undoes that). A line has at least one cell.
void split_csv(std::string_view line, std::vector<std::string_view>& cells, char separator = ',');

/// A cell as its writer meant it: every "" inside becomes ".
std::string unescape(std::string_view cell);

/// `text` as one cell, quoted only if it must be: what unescape() and split_csv() undo.
std::string csv_cell(std::string_view text, char separator = ',');

/// A table whose first line names its columns, read row by row. The text must
/// outlive it.
class CsvTable {
 public:
  /// Reads the head. `file` is only for messages. Blank lines and lines that
  /// start with '#' are passed over, before the head and between rows.
  static Result<CsvTable> open(std::string_view text, std::string file, char separator = ',');

  const std::vector<std::string>& columns() const { return columns_; }
  std::optional<std::size_t> find(std::string_view column) const;
  /// The place of a column that must be there; the error lists those that are.
  Result<std::size_t> column(std::string_view name) const;

  /// The places of several columns that must all be there.
  template <std::size_t N>  // NOLINTNEXTLINE(modernize-avoid-c-arrays): for {"a", "b"}
  Result<std::array<std::size_t, N>> columns(const std::string_view (&names)[N]) const {
    std::array<std::size_t, N> places{};
    for (std::size_t i = 0; i < N; ++i) {
      auto place = column(names[i]);
      if (!place) return std::move(place).error();
      places[i] = *place;
    }
    return places;
  }

  /// Goes to the next row; false at the end.
  bool next();
  /// Has this row as many cells as the head?
  bool is_whole() const { return cells_.size() == columns_.size(); }
  /// A cell of this row, without blanks around it; empty where the row is short.
  std::string_view cell(std::size_t column) const;
  /// A cell of this row with the blanks that a quoted cell may begin or end with.
  std::string_view raw(std::size_t column) const {
    return column < cells_.size() ? cells_[column] : std::string_view{};
  }
  std::size_t cells() const { return cells_.size(); }
  std::uint64_t line() const { return lines_.number(); }
  const std::string& file() const { return file_; }
  /// "file:line", of the current row.
  std::string where() const { return file_ + ":" + std::to_string(line()); }

 private:
  CsvTable(std::string_view text, std::string file, char separator)
      : lines_(text), file_(std::move(file)), separator_(separator) {}

  LineReader lines_;
  std::string file_;
  char separator_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> cells_;
};

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
