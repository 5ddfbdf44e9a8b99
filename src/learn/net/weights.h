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
/// The same again, bit for bit; or what is wrong with the bytes.
Result<Weights> decode_weights(std::string_view bytes);

/// The values of a tensor that must be there, in this kind and shape.
template <class T>
Result<std::vector<T>> stored_values(const Weights& weights, const std::string& name,
                                     const std::vector<std::uint64_t>& shape);
/// A text that must be there.
Result<std::string> stored_text(const Weights& weights, const std::string& name);

}  // namespace penstock
