#pragma once

#include <ceres/ceres.h>

namespace penstock {

/// Solves a small dense problem the same way every time. The cost that is left.
double solve(ceres::Problem& problem, int iterations = 200);

/// weight · (x[i] - value): a belief about one parameter.
class Belief {
 public:
  Belief(int index, double value, double weight) : index_(index), value_(value), weight_(weight) {}
  template <class T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = weight_ * (x[index_] - value_);
    return true;
  }

 private:
  int index_;
  double value_;
  double weight_;
};

}  // namespace penstock
