#include "learn/net/dense.h"

#include <Eigen/QR>
#include <algorithm>

namespace penstock {
namespace {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

/// Orthonormal columns, as many as fit. By Householder reflections of normal draws, with the
/// signs that make them uniform.
Eigen::MatrixXd orthonormal(Index rows, Index cols, Rng rng) {
  Eigen::MatrixXd drawn(rows, cols);
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r) drawn(r, c) = rng.normal(0, 1);
  const Eigen::HouseholderQR<Eigen::MatrixXd> split(drawn);
  Eigen::MatrixXd q = split.householderQ() * Eigen::MatrixXd::Identity(rows, cols);
  for (Index c = 0; c < cols; ++c)
    if (split.matrixQR()(c, c) < 0) q.col(c) *= -1;
  return q;
}

}  // namespace

template <class T>
Dense<T>::Dense(Tensors& tensors, const std::string& name, Size size, Activation activation)
    : size_(size),
      activation_(activation),
      weight_(tensors.add(name + ".weight", size.out, size.in)),
      bias_(tensors.add(name + ".bias", size.out, 1)) {}

template <class T>
void Dense<T>::initialise(std::span<T> parameters, double gain, Rng rng) const {
  const bool wide = size_.in > size_.out;
  Eigen::MatrixXd q =
      orthonormal(std::max(size_.in, size_.out), std::min(size_.in, size_.out), rng);
  if (wide) q.transposeInPlace();
  Eigen::Map<RowMajor<T>>(parameters.data() + weight_, size_.out, size_.in) =
      (gain * q).template cast<T>();
  Eigen::Map<Vector<T>>(parameters.data() + bias_, size_.out).setZero();
}

template <class T>
void Dense<T>::forward(const T* parameters, const ColumnsRef<T>& x, Matrix<T>& y) const {
  const Eigen::Map<const RowMajor<T>> weight(parameters + weight_, size_.out, size_.in);
  const Eigen::Map<const Vector<T>> bias(parameters + bias_, size_.out);
  y.resize(size_.out, x.cols());
  y.noalias() = weight * x;
  switch (activation_) {
    case Activation::none:
      y.colwise() += bias;
      break;
    case Activation::relu:
      y = (y.colwise() + bias).cwiseMax(T(0));
      break;
    case Activation::tanh:
      y = (y.colwise() + bias).array().tanh();
      break;
  }
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
  Eigen::Map<RowMajor<T>>(gradient + weight_, size_.out, size_.in).noalias() += dy * x.transpose();
  Eigen::Map<Vector<T>>(gradient + bias_, size_.out) += dy.rowwise().sum();
  if (dx == nullptr) return;
  const Eigen::Map<const RowMajor<T>> weight(parameters + weight_, size_.out, size_.in);
  dx->resize(size_.in, x.cols());
  dx->noalias() = weight.transpose() * dy;
}

template class Dense<float>;
template class Dense<double>;

}  // namespace penstock
