#include "learn/net/mlp.h"

#include <numbers>

namespace penstock {

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

template class Mlp<float>;
template class Mlp<double>;

}  // namespace penstock
