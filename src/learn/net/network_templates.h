#pragma once

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "learn/net/networks.h"

/// The definitions of layers and networks. Only files that instantiate them include this, because
/// Eigen compiles slowly: the library for float, tests of gradients for double.
namespace penstock {
namespace layer_parts {

template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// Orthonormal columns, as many as fit. By Householder reflections of normal draws, with the
/// signs that make them uniform.
inline Eigen::MatrixXd orthonormal(Index rows, Index cols, Rng rng) {
  Eigen::MatrixXd drawn(rows, cols);
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r) drawn(r, c) = rng.normal(0, 1);
  const Eigen::HouseholderQR<Eigen::MatrixXd> split(drawn);
  Eigen::MatrixXd q = split.householderQ() * Eigen::MatrixXd::Identity(rows, cols);
  for (Index c = 0; c < cols; ++c)
    if (split.matrixQR()(c, c) < 0) q.col(c) *= -1;
  return q;
}

/// What all blocks of a layer have in common.
template <class T>
struct Layer {
  const T* weight;  ///< for each input, one after another, what it adds to each output
  const T* bias;
  Index in;
  Index out;
  T least;  ///< of an output
};

/// Computes some outputs of consecutive items in registers. Each output adds up its inputs in their
/// order, so an item's answer has the same bits whatever other items are in the batch.
template <class T, int kOutputs, int... kItem>
void block(const Layer<T>& layer, const T* x, T* y,
           std::integer_sequence<int, kItem...> /*items*/) {
  using Outputs = Eigen::Array<T, kOutputs, 1>;
  std::array<Outputs, sizeof...(kItem)> sums;
  sums.fill(Eigen::Map<const Outputs>(layer.bias));
  const T* weight = layer.weight;
  for (Index k = 0; k < layer.in; ++k, weight += layer.out) {
    const Outputs each = Eigen::Map<const Outputs>(weight);
    ((sums[kItem] += each * x[kItem * layer.in + k]), ...);
  }
  // max() keeps what is not a number.
  ((Eigen::Map<Outputs>(y + kItem * layer.out) = sums[kItem].max(layer.least)), ...);
}

/// So many outputs of all items, from one output on, so many items at a time.
template <class T, int kOutputs, int kItems>
void blocks(const Layer<T>& whole, Index output, const ColumnsRef<T>& x, Matrix<T>& y) {
  Layer<T> layer = whole;
  layer.weight += output;
  layer.bias += output;
  Index item = 0;
  for (; item + kItems <= x.cols(); item += kItems)
    block<T, kOutputs>(layer, x.col(item).data(), &y(output, item),
                       std::make_integer_sequence<int, kItems>());
  for (; item < x.cols(); ++item)
    block<T, kOutputs>(layer, x.col(item).data(), &y(output, item),
                       std::make_integer_sequence<int, 1>());
}

constexpr Index kWide = Attention<float>::kWidth;

template <class T>
T scale() {
  return T(1) / std::sqrt(T(kWide));
}

/// Part 0, 1, 2, 3 of q, k, v, e, of one window.
template <class M>
auto part(M& qkve, Index which, Index first, Index count) {
  return qkve.block(which * kWide, first, kWide, count);
}

/// Every column becomes positive and adds up to one.
template <class T>
void softmax_columns(Matrix<T>& scores) {
  for (Index c = 0; c < scores.cols(); ++c) {
    auto column = scores.col(c).array();
    column = (column - column.maxCoeff()).exp();
    column /= column.sum();
  }
}

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

}  // namespace layer_parts

template <class T>
Dense<T>::Dense(Tensors& tensors, const std::string& name, Size size, Activation activation)
    : size_(size),
      activation_(activation),
      weight_(tensors.add(name + ".weight", size.in, size.out)),
      bias_(tensors.add(name + ".bias", size.out, 1)) {}

template <class T>
void Dense<T>::initialise(std::span<T> parameters, double gain, Rng rng) const {
  const bool wide = size_.in > size_.out;
  Eigen::MatrixXd q =
      layer_parts::orthonormal(std::max(size_.in, size_.out), std::min(size_.in, size_.out), rng);
  if (wide) q.transposeInPlace();
  Eigen::Map<Matrix<T>>(parameters.data() + weight_, size_.out, size_.in) =
      (gain * q).template cast<T>();
  Eigen::Map<layer_parts::Vector<T>>(parameters.data() + bias_, size_.out).setZero();
}

template <class T>
void Dense<T>::forward(const T* parameters, const ColumnsRef<T>& x, Matrix<T>& y) const {
  PENSTOCK_CHECK(x.outerStride() == size_.in || x.cols() <= 1);
  const T least = activation_ == Activation::relu ? T(0) : -std::numeric_limits<T>::infinity();
  const layer_parts::Layer<T> layer{parameters + weight_, parameters + bias_, size_.in, size_.out,
                                    least};
  y.resize(size_.out, x.cols());
  Index output = 0;
  for (; output + 16 <= layer.out; output += 16) layer_parts::blocks<T, 16, 2>(layer, output, x, y);
  for (; output + 8 <= layer.out; output += 8) layer_parts::blocks<T, 8, 4>(layer, output, x, y);
  for (; output < layer.out; ++output) layer_parts::blocks<T, 1, 4>(layer, output, x, y);
  if (activation_ == Activation::tanh) y = y.array().tanh();
}

template <class T>
void Dense<T>::backward(const T* parameters, const ColumnsRef<T>& x, const Matrix<T>& y,
                        Matrix<T>& dy, T* gradient, Matrix<T>* dx) const {
  switch (activation_) {
    case Activation::none:
      break;
    case Activation::relu:
      dy.array() *= (y.array() > T(0)).template cast<T>();
      break;
    case Activation::tanh:
      dy.array() *= T(1) - y.array().square();
      break;
  }
  Eigen::Map<Matrix<T>>(gradient + weight_, size_.out, size_.in).noalias() += dy * x.transpose();
  Eigen::Map<layer_parts::Vector<T>>(gradient + bias_, size_.out) += dy.rowwise().sum();
  if (dx == nullptr) return;
  const Eigen::Map<const Matrix<T>> weight(parameters + weight_, size_.out, size_.in);
  dx->resize(size_.in, x.cols());
  dx->noalias() = weight.transpose() * dy;
}

template <class T>
Mlp<T>::Mlp(Tensors& tensors, const std::string& name, std::uint32_t in,
            std::initializer_list<std::uint32_t> widths, Activation last) {
  layers_.reserve(widths.size());
  for (const std::uint32_t out : widths) {
    const bool ends = layers_.size() + 1 == widths.size();
    layers_.emplace_back(tensors, name + "." + std::to_string(layers_.size()),
                         typename Dense<T>::Size{in, out}, ends ? last : Activation::relu);
    in = out;
  }
}

template <class T>
void Mlp<T>::initialise(std::span<T> parameters, double last_gain, Rng rng) const {
  for (std::size_t i = 0; i < layers_.size(); ++i)
    layers_[i].initialise(parameters, i + 1 == layers_.size() ? last_gain : std::numbers::sqrt2,
                          rng.stream(i));
}

template <class T>
const Matrix<T>& Mlp<T>::forward(const T* parameters, const ColumnsRef<T>& x, Tape& tape) const {
  tape.outs.resize(layers_.size());
  layers_[0].forward(parameters, x, tape.outs[0]);
  for (std::size_t i = 1; i < layers_.size(); ++i)
    layers_[i].forward(parameters, tape.outs[i - 1], tape.outs[i]);
  return tape.outs.back();
}

template <class T>
void Mlp<T>::backward(const T* parameters, const ColumnsRef<T>& x, Tape& tape, const Matrix<T>& dy,
                      T* gradient, Matrix<T>* dx) const {
  tape.dy = dy;
  for (std::size_t i = layers_.size() - 1; i > 0; --i) {
    layers_[i].backward(parameters, tape.outs[i - 1], tape.outs[i], tape.dy, gradient, &tape.dx);
    std::swap(tape.dy, tape.dx);
  }
  layers_[0].backward(parameters, x, tape.outs[0], tape.dy, gradient, dx);
}

template <class T>
Attention<T>::Attention(Tensors& tensors, const std::string& name, std::uint32_t in)
    : qkve_(tensors, name + ".qkve", {in, 4 * kWidth}, Activation::relu) {}

template <class T>
void Attention<T>::initialise(std::span<T> parameters, Rng rng) const {
  qkve_.initialise(parameters, 2 * std::numbers::sqrt2, rng);  // of each quarter about sqrt(2)
}

template <class T>
const Matrix<T>& Attention<T>::forward(const T* parameters, const ColumnsRef<T>& x,
                                       std::span<const std::uint32_t> starts, Tape& tape) const {
  qkve_.forward(parameters, x, tape.qkve);
  tape.shares.resize(starts.size() - 1);
  tape.out = tape.qkve.bottomRows(layer_parts::kWide);
  for (std::size_t w = 0; w + 1 < starts.size(); ++w) {
    const Index first = starts[w];
    const Index count = starts[w + 1] - first;
    if (count == 0) continue;
    Matrix<T>& shares = tape.shares[w];
    shares.resize(count, count);
    shares.noalias() = layer_parts::part(tape.qkve, 1, first, count).transpose() *
                       layer_parts::part(tape.qkve, 0, first, count);
    shares *= layer_parts::scale<T>();
    layer_parts::softmax_columns(shares);
    tape.out.middleCols(first, count).noalias() +=
        layer_parts::part(tape.qkve, 2, first, count) * shares;
  }
  return tape.out;
}

template <class T>
void Attention<T>::backward(const T* parameters, const ColumnsRef<T>& x,
                            std::span<const std::uint32_t> starts, Tape& tape, const Matrix<T>& dy,
                            T* gradient) const {
  tape.dqkve.resize(4 * layer_parts::kWide, x.cols());
  tape.dqkve.bottomRows(layer_parts::kWide) = dy;
  for (std::size_t w = 0; w + 1 < starts.size(); ++w) {
    const Index first = starts[w];
    const Index count = starts[w + 1] - first;
    if (count == 0) continue;
    const Matrix<T>& shares = tape.shares[w];
    const auto dout = dy.middleCols(first, count);
    layer_parts::part(tape.dqkve, 2, first, count).noalias() = dout * shares.transpose();
    Matrix<T>& ds = tape.dshares;
    ds.resize(count, count);
    ds.noalias() = layer_parts::part(tape.qkve, 2, first, count).transpose() * dout;
    for (Index c = 0; c < count; ++c) {
      const T mean = ds.col(c).dot(shares.col(c));
      ds.col(c).array() =
          (ds.col(c).array() - mean) * shares.col(c).array() * layer_parts::scale<T>();
    }
    layer_parts::part(tape.dqkve, 0, first, count).noalias() =
        layer_parts::part(tape.qkve, 1, first, count) * ds;
    layer_parts::part(tape.dqkve, 1, first, count).noalias() =
        layer_parts::part(tape.qkve, 0, first, count) * ds.transpose();
  }
  qkve_.backward(parameters, x, tape.qkve, tape.dqkve, gradient, nullptr);
}

template <class T>
ActorNet<T>::ActorNet(Tensors& tensors, const NetShape& shape)
    : attention_(layer_parts::attention_of<T>(tensors, shape)),
      scorer_(layer_parts::scorer_of<T>(tensors, shape)) {}

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

}  // namespace penstock
