#pragma once

#include "learn/net/attention.h"
#include "learn/net/mlp.h"
#include "learn/net/shape.h"

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
extern template class ActorNet<double>;

}  // namespace penstock
