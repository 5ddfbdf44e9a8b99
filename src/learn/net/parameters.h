#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

/// How an actor weighs the items of a window.
enum class ActorKind {
  kernel,     ///< each by itself, by one network with layers of 32, 16, 8 and 1
  attention,  ///< self-attention over all items, then layers of 16, 8 and 1
};

struct NetShape {
  ActorKind kind = ActorKind::kernel;
  std::uint32_t item_features = 0;    ///< at least 1
  std::uint32_t global_features = 0;  ///< only the critic sees them
  friend bool operator==(const NetShape&, const NetShape&) = default;
};

/// One named matrix of numbers, row by row, within a flat vector of parameters.
struct Tensor {
  std::string name{};
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::size_t offset = 0;
  std::size_t size() const { return std::size_t{rows} * cols; }
};

/// The layout of a network's tensors, one after another in one flat vector. Code that steps, clips,
/// saves or varies parameters works on the vector and need not know the network.
class Tensors {
 public:
  /// Returns its offset. Names must differ.
  std::size_t add(const std::string& name, std::uint32_t rows, std::uint32_t cols) {
    all_.push_back({name, rows, cols, size_});
    size_ += all_.back().size();
    return all_.back().offset;
  }
  const std::vector<Tensor>& all() const { return all_; }
  /// The length of the flat vector.
  std::size_t size() const { return size_; }

 private:
  std::vector<Tensor> all_;
  std::size_t size_ = 0;
};

/// The parameters of a network, and which tensor each belongs to.
struct Parameters {
  Tensors tensors{};
  std::vector<float> values{};
};

}  // namespace penstock
