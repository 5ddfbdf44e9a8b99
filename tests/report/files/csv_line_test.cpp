#include "report/files/csv_line.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock {
namespace {

TEST(CsvLine, separates_fields_and_ends_the_line) {
  std::string out;
  {
    CsvLine line(out);
    line.text("");
    line.count(7);
    line.number(0.1);
    line.time(Duration(-1500));
    line.text("a");
  }
  EXPECT_EQ(out, ",7,0.1,-1.500,a\n");
}

TEST(CsvLine, quotes_commas_quotes_and_line_ends) {
  std::string out;
  {
    CsvLine line(out);
    line.text("a,b");
    line.text("say \"x\"");
    line.text("two\nlines");
    line.text("plain text; ok");
  }
  EXPECT_EQ(out, "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",plain text; ok\n");
}

TEST(CsvLine, writes_nothing_for_what_is_undefined) {
  std::string out;
  {
    CsvLine line(out);
    line.number(std::nullopt);
    line.number(NAN);
    line.time(std::nullopt);
    line.gpus({});
  }
  EXPECT_EQ(out, ",,,\n");
}

TEST(CsvLine, begins_with_a_set_of_gpus_too) {
  std::string out;
  {
    CsvLine line(out);
    line.gpus({{GpuId{2}, 1}, {GpuId{4}, 2}});
  }
  EXPECT_EQ(out, "2 4-5\n");
}

}  // namespace

}  // namespace penstock
