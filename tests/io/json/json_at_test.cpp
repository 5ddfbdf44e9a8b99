#include "io/json/json_at.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

using nlohmann::json;

const json kObject = json::parse(
    R"({"text": "a", "whole": 3, "half": 0.5, "flag": true, "list": [1, 2], "null": null})");

TEST(JsonAt, returns_members_of_the_right_kind) {
  EXPECT_EQ(text_at(kObject, "text"), "a");
  EXPECT_EQ(whole_at(kObject, "whole"), 3);
  EXPECT_TRUE(flag_at(kObject, "flag"));
  EXPECT_EQ(list_at(kObject, "list").size(), 2u);
  EXPECT_EQ(member(kObject, "half"), 0.5);
}

TEST(JsonAt, takes_a_member_of_another_kind_for_an_absent_one) {
  for (const char* name : {"absent", "null", "half"}) {
    EXPECT_EQ(text_at(kObject, name, "none"), "none") << name;
    EXPECT_EQ(whole_at(kObject, name, -1), -1) << name;
    EXPECT_FALSE(flag_at(kObject, name)) << name;
    EXPECT_TRUE(list_at(kObject, name).empty()) << name;
  }
}

TEST(JsonAt, finds_nothing_in_what_is_no_object) {
  for (const json& other : {json(), json(7), json("text"), json::array({1})})
    EXPECT_TRUE(member(other, "text").is_null()) << other;
}

}  // namespace
}  // namespace penstock
