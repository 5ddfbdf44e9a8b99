#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "learn/net/parameters.h"

namespace penstock {

using Index = Eigen::Index;

/// One item, or one window, a column.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using ConstColumns = Eigen::Map<const Matrix<T>>;
/// Any columns that lie in memory one after another, perhaps with gaps; never a copy.
template <class T>
using ColumnsRef = Eigen::Ref<const Matrix<T>, 0, Eigen::OuterStride<>>;

constexpr Index as_index(std::size_t n) {
  return static_cast<Index>(n);
}
constexpr std::size_t as_size(Index n) {
  return static_cast<std::size_t>(n);
}

enum class Activation { none, relu, tanh };

/// activation(W x + b), column by column. Knows where its parameters lie, not what they are:
/// those are handed in as the flat vector, and gradients go to a flat vector of the same shape.
template <class T>
class Dense {
 public:
  struct Size {
    std::uint32_t in = 0;
    std::uint32_t out = 0;
  };
  /// Adds "NAME.weight" (in x out) and "NAME.bias" to the tensors.
  Dense(Tensors& tensors, const std::string& name, Size size, Activation activation);

  std::uint32_t out() const { return size_.out; }

  /// Orthogonal weights of this gain; no bias.
  void initialise(std::span<T> parameters, double gain, Rng rng) const;
  /// Columns of `x` must follow each other without a gap. A column's answer is the same bits
  /// whatever other columns there are.
  void forward(const T* parameters, const ColumnsRef<T>& x, Matrix<T>& y) const;
  /// From the gradient by `y`, as forward() gave it, adds the gradient by the parameters, and
  /// writes that by `x` if asked for. `dy` is used up.
  void backward(const T* parameters, const ColumnsRef<T>& x, const Matrix<T>& y, Matrix<T>& dy,
                T* gradient, Matrix<T>* dx) const;

 private:
  Size size_;
  Activation activation_;
  std::size_t weight_;  ///< offsets
  std::size_t bias_;
};

extern template class Dense<float>;

/// Dense layers one after another, ReLU between them.
template <class T>
class Mlp {
 public:
  /// What forward() leaves for backward().
  struct Tape {
    std::vector<Matrix<T>> outs{};
    Matrix<T> dy{};
    Matrix<T> dx{};
  };

  /// `widths` are those of the outputs; layers are called NAME.0, NAME.1, ... `last` is the
  /// activation of the last one.
  Mlp(Tensors& tensors, const std::string& name, std::uint32_t in,
      std::initializer_list<std::uint32_t> widths, Activation last = Activation::none);

  /// The last layer's weights are orthogonal of the given gain, others of sqrt(2).
  void initialise(std::span<T> parameters, double last_gain, Rng rng) const;
  /// The result belongs to the tape.
  const Matrix<T>& forward(const T* parameters, const ColumnsRef<T>& x, Tape& tape) const;
  /// `dy` is by forward()'s result. Adds to the gradient; writes that by `x` if asked for.
  void backward(const T* parameters, const ColumnsRef<T>& x, Tape& tape, const Matrix<T>& dy,
                T* gradient, Matrix<T>* dx = nullptr) const;

 private:
  std::vector<Dense<T>> layers_;
};

extern template class Mlp<float>;

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

}  // namespace penstock
