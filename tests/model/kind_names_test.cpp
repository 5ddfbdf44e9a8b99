#include "model/kind_names.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(KindNames, finds_a_kind_by_name_and_alias_in_any_case) {
  KindNames names;
  names.add({.name = "ResNet-50", .aliases = {"ImageNet"}}, KindId{3});
  EXPECT_EQ(names.find("resnet-50"), KindId{3});
  EXPECT_EQ(names.find("IMAGENET"), KindId{3});
  EXPECT_EQ(names.find("resnet"), std::nullopt);
  EXPECT_EQ(names.all(), (std::vector<std::string>{"imagenet", "resnet-50"}));
}

TEST(KindNames, leaves_a_name_to_the_kind_that_had_it_first) {
  KindNames names;
  names.add({.name = "bert", .aliases = {"squad"}}, KindId{0});
  names.add({.name = "BERT-large", .aliases = {"Squad", "big"}}, KindId{1});
  EXPECT_EQ(names.find("squad"), KindId{0});
  EXPECT_EQ(names.find("big"), KindId{1});
}

}  // namespace
}  // namespace penstock
