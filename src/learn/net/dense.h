#pragma once

#include <span>

#include "base/rng.h"
#include "learn/net/matrix.h"
#include "learn/net/tensors.h"

namespace penstock {

enum class Activation { none, relu, tanh };

/// activation(W x + b), on a column a time. Knows where its parameters lie, not what they are:
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
extern template class Dense<double>;

}  // namespace penstock
