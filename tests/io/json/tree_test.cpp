#include "io/json/tree.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

std::string json_error(std::string_view text) {
  const auto tree = JsonTree::parse(text, "f.json");
  return tree ? "fine" : tree.error().message;
}

TEST(JsonTree, keeps_members_in_the_order_of_the_file) {
  const auto tree = JsonTree::parse(R"({"b": {"x": [1, [2]], "y": "t"}, "a": true})", "f.json");
  ASSERT_TRUE(tree);
  const auto b = tree->root().first();
  EXPECT_EQ(b->key(), "b");
  EXPECT_EQ(b->find("x")->size(), 2U);
  EXPECT_EQ(b->find("x")->first()->next()->first()->number(), 2);
  EXPECT_FALSE(b->find("x")->first()->next()->next());
  EXPECT_EQ(b->find("y")->text(), "t");
  EXPECT_EQ(b->next()->key(), "a");
  EXPECT_EQ(b->next()->kind(), JsonKind::boolean);
  EXPECT_FALSE(b->next()->next());
  EXPECT_FALSE(b->find("z"));
}

TEST(JsonTree, names_each_repeated_key_once_by_its_path) {
  const auto tree = JsonTree::parse(
      R"({"a": 1, "b": {"c": 1, "d": {"": 1, "": 2}, "c": 2, "c": 3}, "a": 2})", "");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->repeated(), (std::vector<std::string>{"b.d.''", "b.c", "a"}));
}

TEST(JsonTree, tells_line_and_column_of_what_is_no_json) {
  EXPECT_EQ(json_error("{\n  \"a\": x}"), "f.json:2:8: is not valid JSON from here on");
  EXPECT_EQ(json_error(R"({"a": NaN})"), "f.json:1:7: is not valid JSON from here on");
  EXPECT_EQ(json_error("{\"a\": 1"), "f.json:1:8: ends before its JSON does");
  EXPECT_EQ(json_error(""), "f.json:1:1: ends before its JSON does");
  EXPECT_EQ(json_error("{\"a\": 1e999}"), "f.json:1:11: holds a number that is out of range");
  EXPECT_EQ(json_error("{} {}"), "f.json:1:4: is not valid JSON from here on");
  EXPECT_EQ(json_error("{\"\xff\": 1}"), "f.json:1:3: is not valid JSON from here on");
}

TEST(JsonTree, does_not_mind_deep_nesting) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(json_error(deep), "fine");
}

}  // namespace
}  // namespace penstock
