#include "page/stored/row_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace penstock {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(ParseSeconds, knows_what_our_files_hold) {
  EXPECT_EQ(parse_seconds("90"), 90s);
  EXPECT_EQ(parse_seconds("0.25"), 250ms);
  EXPECT_EQ(parse_seconds("-1.5"), -1500ms);
  for (const char* text : {"", "-", "1.", "1.2345", "1e3", "--1", " 1", "9999999999999999", "x"})
    EXPECT_FALSE(parse_seconds(text)) << text;
}

TEST(RowReader, keeps_the_first_problem) {
  std::string text = "time_s,count\n1.5,3\nsoon,many\n2,4\n";
  auto opened = CsvRows::open(text, "a.csv");
  ASSERT_TRUE(opened);
  RowReader rows(*opened);
  const std::size_t time = rows.need("time_s");
  const std::size_t count = rows.need("count");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.time(time), 1500ms);
  EXPECT_EQ(rows.count(count), 3u);
  EXPECT_FALSE(rows.problem());
  ASSERT_TRUE(rows.next());
  rows.time(time);
  rows.count(count);
  ASSERT_TRUE(rows.problem());
  EXPECT_NE(rows.problem()->message.find("'soon' is not a time"), std::string::npos);
  EXPECT_FALSE(rows.next());
}

TEST(RowReader, takes_an_absent_column_for_undefined) {
  std::string text = "a\n1\n";
  auto opened = CsvRows::open(text, "a.csv");
  ASSERT_TRUE(opened);
  RowReader rows(*opened);
  ASSERT_TRUE(rows.next());
  EXPECT_TRUE(std::isnan(rows.number(rows.find("b"))));
  EXPECT_EQ(rows.maybe_time(rows.find("b")), std::nullopt);
  EXPECT_EQ(rows.text(rows.find("b")), "");
}

TEST(NameIndex, finds_the_first_of_equal_names) {
  const std::array<std::string, 3> names{"north", "south", "north"};
  const NameIndex index(names);
  EXPECT_EQ(index.of("north"), 0u);
  EXPECT_EQ(index.of("south"), 1u);
  EXPECT_EQ(index.of("west"), std::nullopt);
}

}  // namespace
}  // namespace penstock
