#include "learn/net/weights.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace penstock {
namespace {

Weights sample() {
  return {.metadata = {{"features", "wait, size"}, {"note", "ü \"quoted\""}},
          .tensors = {{"a", {{2, 2}, std::vector<float>{1, -0.0F, 1e-45F, 3.4e38F}}},
                      {"b", {{1}, std::vector<double>{0.1}}},
                      {"c", {{0}, std::vector<float>{}}},
                      {"d", {{2}, std::vector<std::uint64_t>{~0ull, 7}}}}};
}

/// A file with this header, and so many zeros after it.
std::string file(const std::string& header, std::size_t zeros) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(zeros, '\0');
}

std::string complaint(const std::string& bytes) {
  const auto weights = decode_weights(bytes);
  return weights ? "none" : weights.error().message;
}

std::string one(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}}";
}

TEST(Weights, come_back_bit_for_bit) {
  const auto again = decode_weights(encode_weights(sample()));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, sample());
  EXPECT_EQ(encode_weights(*again), encode_weights(sample()));
  EXPECT_TRUE(std::signbit(std::get<0>(again->tensors.at("a").values)[1]));
}

TEST(Weights, keep_even_numbers_that_are_not_numbers) {
  Weights weights;
  weights.tensors["nan"] = {{1}, std::vector<float>{std::bit_cast<float>(0x7fc12345u)}};
  const auto again = decode_weights(encode_weights(weights));
  ASSERT_TRUE(again);
  const float value = std::get<0>(again->tensors.at("nan").values)[0];
  EXPECT_EQ(std::bit_cast<std::uint32_t>(value), 0x7fc12345u);
}

TEST(Weights, lie_as_safetensors_says) {
  Weights weights;
  weights.tensors["w"] = {{1}, std::vector<float>{1}};
  std::string expected = one("F32", "[1]", "[0,4]");
  expected.resize((expected.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(encode_weights(weights), file(expected, 0) + std::string("\0\0\x80\x3f", 4));
}

TEST(Weights, that_are_truncated_anywhere_are_refused) {
  const std::string bytes = encode_weights(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_weights(std::string_view(bytes).substr(0, size))) << size;
}

TEST(Weights, that_are_broken_are_refused_with_the_reason) {
  EXPECT_EQ(complaint("short"), "5 bytes are too few for a weights file");
  EXPECT_EQ(complaint(std::string(8, '\x7f')),
            "header: 9187201950435737471 bytes are more than the 16777216 allowed: not a weights "
            "file?");
  EXPECT_EQ(complaint(file("{}", 0).substr(0, 9)),
            "header: 2 bytes long, but only 1 follow: truncated?");
  EXPECT_EQ(complaint(file("[1]", 0)), "header: is not a JSON object");
  EXPECT_EQ(complaint(file("{", 0)), "header: is not a JSON object");
  EXPECT_EQ(complaint(file(one("BF16", "[2]", "[0,4]"), 4)),
            "w: dtype: no 'BF16' here; there are: F32, F64, U64");
  EXPECT_EQ(complaint(file(one("F32", "[3]", "[0,4]"), 4)),
            "w: shape: [3] of F32 does not fill 4 bytes");
  EXPECT_EQ(complaint(file(one("F32", "[4611686018427387905,4]", "[0,16]"), 16)),
            "w: shape: [4611686018427387905, 4] of F32 does not fill 16 bytes");
  EXPECT_EQ(complaint(file(one("F32", "[1]", "[0,4]"), 3)),
            "w: data_offsets: [0, 4] reach beyond the 3 bytes there are");
  EXPECT_EQ(complaint(file(one("F32", "[1]", "[4,0]"), 4)),
            "w: data_offsets: [4, 0] end before they begin");
  EXPECT_EQ(complaint(file(one("F32", "[1]", "[4,8]"), 8)),
            "w: data_offsets: [4, 8] leave a gap after byte 0");
  EXPECT_EQ(complaint(file(one("F32", "[1]", "[0,4]"), 8)),
            "4 bytes follow the 4 that the header tells of");
  EXPECT_EQ(complaint(file(one("F32", "[-1]", "[0,4]"), 4)),
            "w: shape: holds what is not a whole number from 0");
  EXPECT_EQ(complaint(file(one("F32", "1", "[0,4]"), 4)), "w: shape: is not a list");
  EXPECT_EQ(complaint(file(one("F32", "[1]", "[0]"), 4)), "w: data_offsets: are not two numbers");
  EXPECT_EQ(complaint(file(R"({"w":{}})", 0)), "w: dtype: is missing, or not a text");
  EXPECT_EQ(complaint(file(R"({"__metadata__":{"a":1}})", 0)), "__metadata__: a: is not a text");
}

TEST(Weights, may_not_overlap) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
  EXPECT_EQ(complaint(file(header, 8)), "b: data_offsets: [4, 8] overlap another tensor's");
}

TEST(Weights, are_asked_for_by_name_kind_and_shape) {
  EXPECT_EQ(stored_values<double>(sample(), "b", {1})->front(), 0.1);
  EXPECT_EQ(stored_values<float>(sample(), "x", {1}).error().message, "x: there is no such tensor");
  EXPECT_EQ(stored_values<float>(sample(), "b", {1}).error().message,
            "b: holds F64, but F32 is needed");
  EXPECT_EQ(stored_values<float>(sample(), "a", {4}).error().message,
            "a: has the shape [2, 2], but [4] is needed");
  EXPECT_EQ(stored_text(sample(), "x").error().message, "x: is missing from the metadata");
}

constexpr auto kItems = std::to_array<std::string_view>({"job.gpus", "job.run"});
constexpr auto kGlobals = std::to_array<std::string_view>({"mean.load"});

NetDescription texts() {
  return {
      .kind = "toy", .feature_version = 3, .item_features = kItems, .global_features = kGlobals};
}

std::string description_refusal(const NetDescription& stored) {
  Weights weights;
  put_description(weights, stored);
  const auto fine = check_description(weights, texts());
  return fine ? "" : fine.error().message;
}

TEST(NetDescription, tell_what_differs) {
  EXPECT_EQ(description_refusal(texts()), "");
  NetDescription other = texts();
  other.kind = "ship";
  EXPECT_EQ(description_refusal(other),
            "kind of weights: trained with 'ship', this program has 'toy'; train anew");
  other = texts();
  other.feature_version = 2;
  EXPECT_EQ(description_refusal(other),
            "version of features: trained with '2', this program has '3'; train anew");
  other = texts();
  other.item_features = std::span(kItems).first(1);
  EXPECT_EQ(description_refusal(other),
            "features of an item: trained with 'job.gpus', this program has 'job.gpus job.run'; "
            "train anew");
  other = texts();
  other.global_features = {};
  EXPECT_EQ(description_refusal(other),
            "features of the whole: trained with '', this program has 'mean.load'; train anew");
  EXPECT_FALSE(check_description({}, texts()));
}

}  // namespace

}  // namespace penstock
