#include "page/packed/column.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace penstock {
namespace {

using Whole = std::vector<std::int32_t>;
using Bytes = std::vector<int>;

Bytes bytes_of(const PackedColumn& column) {
  Bytes bytes;
  for (const char c : column.bytes) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

TEST(PackedColumn, one_value_in_all_rows_takes_no_bytes) {
  const PackedColumn column = pack_whole(Whole{7, 7, 7});
  EXPECT_EQ(column.encoding, "const");
  EXPECT_EQ(column.rows, 3u);
  EXPECT_EQ(column.value, 7);
  EXPECT_TRUE(column.bytes.empty());
  EXPECT_EQ(pack_whole(Whole{kNoWhole, kNoWhole}).value, std::nullopt);
  EXPECT_EQ(pack_numbers(std::vector<float>{1.5F, 1.5F}).value, 1.5);
  EXPECT_EQ(pack_whole(Whole{}).encoding, "const");
}

TEST(PackedColumn, small_numbers_take_one_byte) {
  const PackedColumn column = pack_whole(Whole{0, 255, 3});
  EXPECT_EQ(column.encoding, "u8");
  EXPECT_EQ(bytes_of(column), (Bytes{0, 255, 3}));
}

TEST(PackedColumn, planes_hold_the_lowest_bytes_first) {
  const PackedColumn two = pack_whole(Whole{0x0102, -1, kNoWhole});
  EXPECT_EQ(two.encoding, "i16s");
  EXPECT_EQ(bytes_of(two), (Bytes{0x02, 0xff, 0x00, 0x01, 0xff, 0x80}));
  const PackedColumn four = pack_whole(Whole{0x01020304, kNoWhole});
  EXPECT_EQ(four.encoding, "i32s");
  EXPECT_EQ(bytes_of(four), (Bytes{4, 0, 3, 0, 2, 0, 1, 0x80}));
}

TEST(PackedColumn, growing_numbers_are_kept_as_steps) {
  const PackedColumn column = pack_growing(Whole{1000, 1002, 1001});
  EXPECT_EQ(column.encoding, "i32ds");
  EXPECT_EQ(bytes_of(column), (Bytes{0xe8, 2, 0xff, 3, 0, 0xff, 0, 0, 0xff, 0, 0, 0xff}));
}

TEST(PackedColumn, numbers_keep_thirteen_bits_of_their_mantissa) {
  const PackedColumn column = pack_numbers(std::vector<float>{1.0F, 1.00001F, 3.14159265F});
  EXPECT_EQ(column.encoding, "f32s");
  EXPECT_EQ(bytes_of(column), (Bytes{0, 0, 0, 0, 0, 0x10, 0x80, 0x80, 0x49, 0x3f, 0x3f, 0x40}));
}

TEST(PackedColumn, what_is_no_number_is_undefined) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(pack_numbers(std::vector<float>{nan, infinite}).value, std::nullopt);
  const PackedColumn largest =
      pack_numbers(std::vector<float>{std::numeric_limits<float>::max(), 0.0F});
  EXPECT_EQ(bytes_of(largest), (Bytes{0, 0, 0xfc, 0, 0x7f, 0, 0x7f, 0}));
}

TEST(TimeUnit, is_a_millisecond_only_where_that_is_needed_and_fits) {
  UnitChoice choice;
  choice.see(Duration(5000));
  EXPECT_EQ(choice.unit().of(Duration(5000)), 5);
  choice.see(Duration(5001));
  EXPECT_EQ(choice.unit().of(Duration(5001)), 5001);
  EXPECT_TRUE(choice.is_exact());
  choice.see(std::chrono::days(30));
  EXPECT_EQ(choice.unit().of(Duration(5501)), 6);
  EXPECT_FALSE(choice.is_exact());
  EXPECT_TRUE(choice.fits());
  choice.see(std::chrono::days(30'000));
  EXPECT_FALSE(choice.fits());
  EXPECT_EQ(choice.unit().of(std::chrono::days(30'000)), kNoWhole);
  EXPECT_EQ(choice.unit().of(std::nullopt), kNoWhole);
}

}  // namespace

}  // namespace penstock
