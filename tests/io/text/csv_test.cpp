#include "io/text/csv.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using CsvCells = std::vector<std::string_view>;
using CsvRowsCells = std::vector<std::string>;
using Rows = std::vector<CsvRowsCells>;

std::vector<std::string_view> cells_of(std::string_view line, char separator = ',') {
  std::vector<std::string_view> cells;
  split_csv(line, cells, separator);
  return cells;
}

TEST(LineReader, counts_lines_and_drops_carriage_returns) {
  LineReader lines(
      "\xEF\xBB\xBF"
      "a\r\n\nb");
  EXPECT_EQ(lines.next(), "a");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "b");
  EXPECT_EQ(lines.number(), 3u);
  EXPECT_EQ(lines.next(), std::nullopt);
}

TEST(SplitCsv, keeps_empty_cells) {
  EXPECT_EQ(cells_of("a,,b,"), (CsvCells{"a", "", "b", ""}));
  EXPECT_EQ(cells_of(""), (CsvCells{""}));
  EXPECT_EQ(cells_of("a|b", '|'), (CsvCells{"a", "b"}));
}

TEST(SplitCsv, lets_quotes_protect_separators) {
  EXPECT_EQ(cells_of(R"("a,b",c)"), (CsvCells{"a,b", "c"}));
  EXPECT_EQ(cells_of(R"("say ""x""",c)"), (CsvCells{R"(say ""x"")", "c"}));
  EXPECT_EQ(cells_of(R"(a,"open)"), (CsvCells{"a", "open"}));
  EXPECT_EQ(cells_of(R"("",b)"), (CsvCells{"", "b"}));
}

TEST(CsvCell, is_read_back_as_it_was) {
  for (const std::string text : {"plain", "a,b", "say \"x\"", " blank ", "#1", ""})
    EXPECT_EQ(unescape(cells_of(csv_cell(text)).front()), text);
}

TEST(CsvTable, finds_columns_by_name_and_passes_over_blank_lines_and_notes) {
  auto table = CsvTable::open("# note\ntime, gpus\n\n1 , 8\n2\n", "x.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->find("gpus"), 1u);
  ASSERT_TRUE(table->next());
  EXPECT_EQ(table->cell(0), "1");
  EXPECT_EQ(table->cell(1), "8");
  EXPECT_EQ(table->where(), "x.csv:4");
  ASSERT_TRUE(table->next());
  EXPECT_FALSE(table->is_whole());
  EXPECT_EQ(table->cell(1), "");
  EXPECT_FALSE(table->next());
}

TEST(CsvTable, names_the_columns_there_are_when_one_is_missing) {
  auto table = CsvTable::open("time,gpu\n", "x.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->column("gpus").error().message,
            "x.csv: no column 'gpus'; there are: time gpu; did you mean 'gpu'?");
}

TEST(CsvTable, refuses_an_empty_text) {
  EXPECT_EQ(CsvTable::open("\n\n", "x.csv").error().message, "x.csv: is empty");
}

/// All rows behind the head, or the message.
std::vector<CsvRowsCells> rows_of(std::string text) {
  auto rows = CsvRows::open(text, "t.csv");
  if (!rows) return {{rows.error().message}};
  std::vector<CsvRowsCells> all;
  while (true) {
    const auto more = rows->next();
    if (!more) return {{more.error().message}};
    if (!*more) return all;
    CsvRowsCells cells;
    for (std::size_t i = 0; i < rows->columns().size(); ++i) cells.emplace_back(rows->cell(i));
    all.push_back(std::move(cells));
  }
}

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
