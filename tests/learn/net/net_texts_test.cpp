#include "learn/net/net_texts.h"

#include <gtest/gtest.h>

#include <array>

namespace penstock {
namespace {

constexpr auto kItems = std::to_array<std::string_view>({"job.gpus", "job.run"});
constexpr auto kGlobals = std::to_array<std::string_view>({"mean.load"});

NetTexts texts() {
  return {
      .kind = "toy", .feature_version = 3, .item_features = kItems, .global_features = kGlobals};
}

std::string refusal(const NetTexts& stored) {
  Weights weights;
  put_texts(weights, stored);
  const auto fine = check_texts(weights, texts());
  return fine ? "" : fine.error().message;
}

TEST(NetTexts, tell_what_differs) {
  EXPECT_EQ(refusal(texts()), "");
  NetTexts other = texts();
  other.kind = "ship";
  EXPECT_EQ(refusal(other),
            "kind of weights: trained with 'ship', this program has 'toy'; train anew");
  other = texts();
  other.feature_version = 2;
  EXPECT_EQ(refusal(other),
            "version of features: trained with '2', this program has '3'; train anew");
  other = texts();
  other.item_features = std::span(kItems).first(1);
  EXPECT_EQ(refusal(other),
            "features of an item: trained with 'job.gpus', this program has 'job.gpus job.run'; "
            "train anew");
  other = texts();
  other.global_features = {};
  EXPECT_EQ(refusal(other),
            "features of the whole: trained with '', this program has 'mean.load'; train anew");
  EXPECT_FALSE(check_texts({}, texts()));
}

}  // namespace
}  // namespace penstock
