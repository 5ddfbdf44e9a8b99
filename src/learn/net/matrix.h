#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace penstock {

using Index = Eigen::Index;

/// One item, or one window, a column.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using ConstColumns = Eigen::Map<const Matrix<T>>;
/// Any columns that lie in memory one after another, perhaps with gaps; never a copy.
template <class T>
using ColumnsRef = Eigen::Ref<const Matrix<T>, 0, Eigen::OuterStride<>>;

constexpr Index as_index(std::size_t n) {
  return static_cast<Index>(n);
}
constexpr std::size_t as_size(Index n) {
  return static_cast<std::size_t>(n);
}

}  // namespace penstock
