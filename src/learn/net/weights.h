#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace penstock {

/// Numbers of one kind with a shape, row by row.
struct StoredTensor {
  std::vector<std::uint64_t> shape{};
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::uint64_t>> values{};
  friend bool operator==(const StoredTensor&, const StoredTensor&) = default;
};

/// What a weights file holds: named tensors, and texts about them.
struct Weights {
  std::map<std::string, std::string> metadata{};  ///< UTF-8
  std::map<std::string, StoredTensor> tensors{};
  friend bool operator==(const Weights&, const Weights&) = default;
};

/// No header of ours is nearly so long.
inline constexpr std::uint64_t kLongestWeightsHeader = 16u << 20;

/// The bytes of a safetensors file: the header's length in 8 bytes, a JSON header, the numbers.
/// The number of values must be the product of the shape.
std::string encode_weights(const Weights& weights);
/// What encode_weights() was given, bit for bit; or what is wrong with the bytes.
Result<Weights> decode_weights(std::string_view bytes);

/// The values of a tensor that must be there, in this kind and shape.
template <class T>
Result<std::vector<T>> stored_values(const Weights& weights, const std::string& name,
                                     const std::vector<std::uint64_t>& shape);
/// A text that must be there.
Result<std::string> stored_text(const Weights& weights, const std::string& name);

/// Adds all of `part` with the prefix before every name.
void put_part(Weights& all, const std::string& prefix, const Weights& part);
/// What has the prefix, without it.
Weights part_of(const Weights& all, const std::string& prefix);

/// What a network is for and what it sees, as the texts of its weights file tell it.
struct NetDescription {
  std::string_view kind;
  int feature_version = 0;
  std::span<const std::string_view> item_features{};
  std::span<const std::string_view> global_features{};
};

/// Before the names of texts that only people read: "about.command".
inline constexpr const char* kAboutPrefix = "about.";
/// The text that tells what a file of weights is.
inline constexpr const char* kKindText = "penstock.kind";

void put_description(Weights& weights, const NetDescription& texts);
/// Refuses a network of another kind or with other features, and says which.
Result<Done> check_description(const Weights& weights, const NetDescription& texts);
/// The names of the features that only the critic of a stored network sees; empty if it has none.
std::string stored_global_features(const Weights& weights);

}  // namespace penstock
