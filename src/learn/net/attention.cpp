#include "learn/net/attention.h"

#include <cmath>
#include <numbers>

namespace penstock {
namespace {

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

}  // namespace

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
  tape.out = tape.qkve.bottomRows(kWide);
  for (std::size_t w = 0; w + 1 < starts.size(); ++w) {
    const Index first = starts[w];
    const Index count = starts[w + 1] - first;
    if (count == 0) continue;
    Matrix<T>& shares = tape.shares[w];
    shares.resize(count, count);
    shares.noalias() =
        part(tape.qkve, 1, first, count).transpose() * part(tape.qkve, 0, first, count);
    shares *= scale<T>();
    softmax_columns(shares);
    tape.out.middleCols(first, count).noalias() += part(tape.qkve, 2, first, count) * shares;
  }
  return tape.out;
}

template <class T>
void Attention<T>::backward(const T* parameters, const ColumnsRef<T>& x,
                            std::span<const std::uint32_t> starts, Tape& tape, const Matrix<T>& dy,
                            T* gradient) const {
  tape.dqkve.resize(4 * kWide, x.cols());
  tape.dqkve.bottomRows(kWide) = dy;
  for (std::size_t w = 0; w + 1 < starts.size(); ++w) {
    const Index first = starts[w];
    const Index count = starts[w + 1] - first;
    if (count == 0) continue;
    const Matrix<T>& shares = tape.shares[w];
    const auto dout = dy.middleCols(first, count);
    part(tape.dqkve, 2, first, count).noalias() = dout * shares.transpose();
    Matrix<T>& ds = tape.dshares;
    ds.resize(count, count);
    ds.noalias() = part(tape.qkve, 2, first, count).transpose() * dout;
    for (Index c = 0; c < count; ++c) {
      const T mean = ds.col(c).dot(shares.col(c));
      ds.col(c).array() = (ds.col(c).array() - mean) * shares.col(c).array() * scale<T>();
    }
    part(tape.dqkve, 0, first, count).noalias() = part(tape.qkve, 1, first, count) * ds;
    part(tape.dqkve, 1, first, count).noalias() = part(tape.qkve, 0, first, count) * ds.transpose();
  }
  qkve_.backward(parameters, x, tape.qkve, tape.dqkve, gradient, nullptr);
}

template class Attention<float>;
template class Attention<double>;

}  // namespace penstock
