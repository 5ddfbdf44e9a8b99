#pragma once

#include <optional>

#include "learn/net/dense.h"

namespace penstock {

/// Every item looks at all items of its own window: e + softmax(q kT / sqrt(32)) v, where q, k, v
/// and the item's own embedding e are dense layers of 32 with ReLU. The four are one layer of
/// 128, in this order, so that they are one product.
template <class T>
class Attention {
 public:
  static constexpr std::uint32_t kWidth = 32;
  struct Tape {
    Matrix<T> qkve{};
    std::vector<Matrix<T>> shares{};  ///< of each window: in column i, how much of each item i sees
    Matrix<T> out{};
    Matrix<T> dqkve{};
    Matrix<T> dshares{};
  };

  Attention(Tensors& tensors, const std::string& name, std::uint32_t in);

  void initialise(std::span<T> parameters, Rng rng) const;
  /// Window w has the columns from `starts[w]` to `starts[w + 1]`.
  const Matrix<T>& forward(const T* parameters, const ColumnsRef<T>& x,
                           std::span<const std::uint32_t> starts, Tape& tape) const;
  /// Adds to the gradient.
  void backward(const T* parameters, const ColumnsRef<T>& x, std::span<const std::uint32_t> starts,
                Tape& tape, const Matrix<T>& dy, T* gradient) const;

 private:
  Dense<T> qkve_;
};

extern template class Attention<float>;
extern template class Attention<double>;

}  // namespace penstock
