#pragma once

#include "learn/net/layers.h"
#include "learn/net/parameters.h"

namespace penstock {

/// Windows as the networks see them.
template <class T>
struct WindowBatch {
  ConstColumns<T> items;    ///< an item a column
  ConstColumns<T> globals;  ///< a window a column
  std::span<const std::uint32_t> starts{};
  Index windows() const { return as_index(starts.size()) - 1; }
};

/// A logit for every item.
template <class T>
class ActorNet {
 public:
  struct Tape {
    typename Attention<T>::Tape attention{};
    typename Mlp<T>::Tape scorer{};
    Matrix<T> dseen{};
  };

  ActorNet(Tensors& tensors, const NetShape& shape);

  /// At first all items of a window are almost as likely as each other.
  void initialise(std::span<T> parameters, const Rng& rng) const;
  /// One row.
  const Matrix<T>& forward(const T* parameters, const WindowBatch<T>& batch, Tape& tape) const;
  /// `dlogits` is one row. Adds to the gradient.
  void backward(const T* parameters, const WindowBatch<T>& batch, Tape& tape,
                const Matrix<T>& dlogits, T* gradient) const;

 private:
  std::optional<Attention<T>> attention_;
  Mlp<T> scorer_;
};

extern template class ActorNet<float>;

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

}  // namespace penstock
