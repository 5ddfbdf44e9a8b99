#pragma once

#include <initializer_list>
#include <vector>

#include "learn/net/dense.h"

namespace penstock {

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
extern template class Mlp<double>;

}  // namespace penstock
