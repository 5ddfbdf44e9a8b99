#include "learn/net/networks.h"

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

template <class T>
CriticNet<T>::CriticNet(Tensors& tensors, const NetShape& shape)
    : items_(tensors, "critic.item", shape.item_features, {32, 16, kPooled}, Activation::relu),
      whole_(tensors, "critic.whole", 2 * kPooled + shape.global_features, {64, 32, 1}) {}

template <class T>
void CriticNet<T>::initialise(std::span<T> parameters, const Rng& rng) const {
  items_.initialise(parameters, 1, rng.stream("item"));
  whole_.initialise(parameters, 1, rng.stream("whole"));
}

template <class T>
const Matrix<T>& CriticNet<T>::forward(const T* parameters, const WindowBatch<T>& batch,
                                       Tape& tape) const {
  pool(batch, items_.forward(parameters, batch.items, tape.items), tape);
  return whole_.forward(parameters, tape.pooled, tape.whole);
}

template <class T>
void CriticNet<T>::backward(const T* parameters, const WindowBatch<T>& batch, Tape& tape,
                            const Matrix<T>& dvalues, T* gradient) const {
  whole_.backward(parameters, tape.pooled, tape.whole, dvalues, gradient, &tape.dpooled);
  spread(batch, tape);
  items_.backward(parameters, batch.items, tape.items, tape.ditems, gradient);
}

template <class T>
void CriticNet<T>::pool(const WindowBatch<T>& batch, const Matrix<T>& items, Tape& tape) const {
  tape.pooled.setZero(2 * kPooled + batch.globals.rows(), batch.windows());
  tape.pooled.bottomRows(batch.globals.rows()) = batch.globals;
  tape.largest.resize(kPooled, batch.windows());
  for (Index w = 0; w < batch.windows(); ++w) {
    const Index first = batch.starts[as_size(w)];
    const Index count = batch.starts[as_size(w) + 1] - first;
    if (count == 0) continue;
    auto sum = tape.pooled.col(w).head(kPooled);
    auto most = tape.pooled.col(w).segment(kPooled, kPooled);
    most = items.col(first);
    tape.largest.col(w).setConstant(0);
    for (Index i = 0; i < count; ++i) {  // in their order, so that the sum is always the same
      sum += items.col(first + i);
      for (Index r = 0; r < kPooled; ++r) {
        if (items(r, first + i) <= most(r)) continue;
        most(r) = items(r, first + i);
        tape.largest(r, w) = i;
      }
    }
    sum /= static_cast<T>(count);
  }
}

template <class T>
void CriticNet<T>::spread(const WindowBatch<T>& batch, Tape& tape) const {
  tape.ditems.resize(kPooled, batch.items.cols());
  for (Index w = 0; w < batch.windows(); ++w) {
    const Index first = batch.starts[as_size(w)];
    const Index count = batch.starts[as_size(w) + 1] - first;
    if (count == 0) continue;
    auto mine = tape.ditems.middleCols(first, count);
    mine.colwise() = tape.dpooled.col(w).head(kPooled) / static_cast<T>(count);
    for (Index r = 0; r < kPooled; ++r) mine(r, tape.largest(r, w)) += tape.dpooled(kPooled + r, w);
  }
}

template class CriticNet<float>;
template class CriticNet<double>;

}  // namespace penstock
