#include "io/text/csv_rows.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Cells = std::vector<std::string>;

/// All rows behind the head, or the message.
std::vector<Cells> rows_of(std::string text) {
  auto rows = CsvRows::open(text, "t.csv");
  if (!rows) return {{rows.error().message}};
  std::vector<Cells> all;
  while (true) {
    const auto more = rows->next();
    if (!more) return {{more.error().message}};
    if (!*more) return all;
    Cells cells;
    for (std::size_t i = 0; i < rows->columns().size(); ++i) cells.emplace_back(rows->cell(i));
    all.push_back(std::move(cells));
  }
}

using Rows = std::vector<Cells>;

TEST(CsvRows, gives_the_cells_of_every_row) {
  EXPECT_EQ(rows_of("a,b\n1,2\n,\n#3,4\r\n"), (Rows{{"1", "2"}, {"", ""}, {"#3", "4"}}));
}

TEST(CsvRows, undoes_quotes_around_separators_line_ends_and_quotes) {
  EXPECT_EQ(rows_of("a,b\n\"x,\ny\",\"he said \"\"no\"\"\"\n\"\",1\n"),
            (Rows{{"x,\ny", "he said \"no\""}, {"", "1"}}));
}

TEST(CsvRows, notices_a_file_that_was_cut_short) {
  EXPECT_EQ(rows_of(""), (Rows{{"t.csv: is empty"}}));
  EXPECT_EQ(rows_of("a,b"), (Rows{{"t.csv:1: is cut short: the line has no end"}}));
  EXPECT_EQ(rows_of("a,b\n1,2\n3,"), (Rows{{"t.csv:3: is cut short: the line has no end"}}));
  EXPECT_EQ(rows_of("a,b\n\"1\n\n"), (Rows{{"t.csv:2: is cut short: the line has no end"}}));
}

TEST(CsvRows, refuses_a_row_of_another_length) {
  EXPECT_EQ(rows_of("a,b\n\"x\ny\",2\n1\n"),
            (Rows{{"t.csv:4: has 1 cells where there are 2 columns"}}));
}

TEST(CsvRows, says_which_columns_there_are) {
  std::string text = "a,b\n";
  const auto rows = CsvRows::open(text, "t.csv");
  ASSERT_TRUE(rows);
  EXPECT_EQ(*rows->column("b"), 1u);
  EXPECT_EQ(rows->column("c").error().message,
            "t.csv: no column 'c', so it is of another version; there are: a b");
}

}  // namespace
}  // namespace penstock
