#include "io/text/csv.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

std::vector<std::string_view> cells_of(std::string_view line, char separator = ',') {
  std::vector<std::string_view> cells;
  split_csv(line, cells, separator);
  return cells;
}

using Cells = std::vector<std::string_view>;

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
  EXPECT_EQ(cells_of("a,,b,"), (Cells{"a", "", "b", ""}));
  EXPECT_EQ(cells_of(""), (Cells{""}));
  EXPECT_EQ(cells_of("a|b", '|'), (Cells{"a", "b"}));
}

TEST(SplitCsv, lets_quotes_protect_separators) {
  EXPECT_EQ(cells_of(R"("a,b",c)"), (Cells{"a,b", "c"}));
  EXPECT_EQ(cells_of(R"("say ""x""",c)"), (Cells{R"(say ""x"")", "c"}));
  EXPECT_EQ(cells_of(R"(a,"open)"), (Cells{"a", "open"}));
  EXPECT_EQ(cells_of(R"("",b)"), (Cells{"", "b"}));
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

}  // namespace
}  // namespace penstock
