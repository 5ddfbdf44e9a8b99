#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

/// One named matrix of numbers, row by row, within a flat vector of parameters.
struct Tensor {
  std::string name{};
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::size_t offset = 0;
  std::size_t size() const { return std::size_t{rows} * cols; }
};

/// Where each tensor of a network lies: one after another in one flat vector, so that whoever
/// steps, clips, saves or varies parameters need not know the network.
class Tensors {
 public:
  /// Returns its offset. Names must differ.
  std::size_t add(const std::string& name, std::uint32_t rows, std::uint32_t cols) {
    all_.push_back({name, rows, cols, size_});
    size_ += all_.back().size();
    return all_.back().offset;
  }
  const std::vector<Tensor>& all() const { return all_; }
  /// Of the flat vector.
  std::size_t size() const { return size_; }

 private:
  std::vector<Tensor> all_;
  std::size_t size_ = 0;
};

/// A network's numbers, and which is which.
struct Parameters {
  Tensors tensors{};
  std::vector<float> values{};
};

}  // namespace penstock
