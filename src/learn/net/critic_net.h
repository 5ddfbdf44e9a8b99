#pragma once

#include "learn/net/actor_net.h"

namespace penstock {

/// One number for every window: each item through 32-16-8; their mean and their maximum, and the
/// window's own features, through 64-32-1. A window without items has zeros for them.
template <class T>
class CriticNet {
 public:
  struct Tape {
    typename Mlp<T>::Tape items{};
    typename Mlp<T>::Tape whole{};
    Matrix<T> pooled{};       ///< mean, maximum, features of the window
    Matrix<Index> largest{};  ///< which item the maximum came from
    Matrix<T> dpooled{};
    Matrix<T> ditems{};
  };

  CriticNet(Tensors& tensors, const NetShape& shape);

  void initialise(std::span<T> parameters, const Rng& rng) const;
  /// One row.
  const Matrix<T>& forward(const T* parameters, const WindowBatch<T>& batch, Tape& tape) const;
  /// `dvalues` is one row. Adds to the gradient.
  void backward(const T* parameters, const WindowBatch<T>& batch, Tape& tape,
                const Matrix<T>& dvalues, T* gradient) const;

 private:
  static constexpr Index kPooled = 8;
  void pool(const WindowBatch<T>& batch, const Matrix<T>& items, Tape& tape) const;
  void spread(const WindowBatch<T>& batch, Tape& tape) const;

  Mlp<T> items_;
  Mlp<T> whole_;
};

extern template class CriticNet<float>;
extern template class CriticNet<double>;

}  // namespace penstock
