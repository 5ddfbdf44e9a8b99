#include "learn/net/actor_net.h"

namespace penstock {
namespace {

template <class T>
std::optional<Attention<T>> attention_of(Tensors& tensors, const NetShape& shape) {
  if (shape.kind != ActorKind::attention) return std::nullopt;
  return Attention<T>(tensors, "actor", shape.item_features);
}

template <class T>
Mlp<T> scorer_of(Tensors& tensors, const NetShape& shape) {
  if (shape.kind == ActorKind::attention)
    return Mlp<T>(tensors, "actor", Attention<T>::kWidth, {16, 8, 1});
  return Mlp<T>(tensors, "actor", shape.item_features, {32, 16, 8, 1});
}

}  // namespace

template <class T>
ActorNet<T>::ActorNet(Tensors& tensors, const NetShape& shape)
    : attention_(attention_of<T>(tensors, shape)), scorer_(scorer_of<T>(tensors, shape)) {}

template <class T>
void ActorNet<T>::initialise(std::span<T> parameters, const Rng& rng) const {
  if (attention_) attention_->initialise(parameters, rng.stream("attention"));
  scorer_.initialise(parameters, 0.01, rng.stream("scorer"));
}

template <class T>
const Matrix<T>& ActorNet<T>::forward(const T* parameters, const WindowBatch<T>& batch,
                                      Tape& tape) const {
  if (!attention_) return scorer_.forward(parameters, batch.items, tape.scorer);
  const Matrix<T>& seen =
      attention_->forward(parameters, batch.items, batch.starts, tape.attention);
  return scorer_.forward(parameters, seen, tape.scorer);
}

template <class T>
void ActorNet<T>::backward(const T* parameters, const WindowBatch<T>& batch, Tape& tape,
                           const Matrix<T>& dlogits, T* gradient) const {
  if (!attention_) {
    scorer_.backward(parameters, batch.items, tape.scorer, dlogits, gradient);
    return;
  }
  scorer_.backward(parameters, tape.attention.out, tape.scorer, dlogits, gradient, &tape.dseen);
  attention_->backward(parameters, batch.items, batch.starts, tape.attention, tape.dseen, gradient);
}

template class ActorNet<float>;
template class ActorNet<double>;

}  // namespace penstock
