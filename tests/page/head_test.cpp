#include "page/head.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Blob, holds_equal_columns_once) {
  Blob blob;
  const PackedColumn column{.encoding = "u8", .rows = 3, .bytes = "abc"};
  EXPECT_EQ(blob.add(column)["at"], 0);
  EXPECT_EQ(blob.add({.encoding = "u8", .rows = 2, .bytes = "xy"})["at"], 4);  // aligned
  EXPECT_EQ(blob.add(column)["at"], 0);
  EXPECT_EQ(blob.bytes().size(), 6u);
}

TEST(Blob, needs_no_bytes_for_one_value) {
  Blob blob;
  const auto json = blob.add({.encoding = "const", .rows = 9, .value = 2.5});
  EXPECT_EQ(json["value"], 2.5);
  EXPECT_TRUE(blob.bytes().empty());
}

TEST(Dictionary, numbers_every_text_once) {
  Dictionary texts;
  EXPECT_EQ(texts.number(""), 0);
  EXPECT_EQ(texts.number("ann"), 1);
  EXPECT_EQ(texts.number("bob"), 2);
  EXPECT_EQ(texts.number("ann"), 1);
}

TEST(PageHead, finds_the_baseline_by_label_or_by_number) {
  PageHead head;
  head.runs.resize(2);
  head.runs[0].label = "fifo";
  head.runs[1].label = "sjf";
  EXPECT_TRUE(head.choose_baseline("sjf"));
  EXPECT_EQ(head.baseline, 1u);
  EXPECT_TRUE(head.choose_baseline("1"));
  EXPECT_EQ(head.baseline, 0u);
  const auto chosen = head.choose_baseline("sfj");
  ASSERT_FALSE(chosen);
  EXPECT_TRUE(chosen.error().message.starts_with(
      "--baseline: there is no run 'sfj'; possible: 1 to 2, or 'fifo', 'sjf'"))
      << chosen.error().message;
}

}  // namespace
}  // namespace penstock
