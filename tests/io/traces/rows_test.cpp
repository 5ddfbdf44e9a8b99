#include "io/traces/rows.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ParseDateTime, agrees_with_parse_time) {
  for (const char* text :
       {"2017-10-09 07:01:55", "2020-02-29T23:59:60", "2021-02-29 00:00:00", "2017-10-09 07:61:55",
        "2017-10-09 0x:01:55", "2017-10-09", "2017-10-09 07:01:55Z", "", "2017/10/09 07:01:55"})
    EXPECT_EQ(parse_date_time(text), parse_time(text)) << text;
}

}  // namespace
}  // namespace penstock
