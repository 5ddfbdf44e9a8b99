#include "solve/linear_program.h"

#include <algorithm>
#include <cmath>
#include <coin/CbcModel.hpp>
#include <coin/CglGomory.hpp>
#include <coin/CglKnapsackCover.hpp>
#include <coin/CglMixedIntegerRounding2.hpp>
#include <coin/CglProbing.hpp>
#include <coin/CoinPackedMatrix.hpp>
#include <coin/OsiClpSolverInterface.hpp>

#include "base/check.h"

namespace penstock {

int LinearProgram::add(const Column& column) {
  columns_.push_back(column);
  return static_cast<int>(columns_.size()) - 1;
}

void LinearProgram::add_row(std::span<const Term> terms, double lower, double upper) {
  for (const Term& term : terms) {
    indices_.push_back(term.column);
    factors_.push_back(term.factor);
  }
  starts_.push_back(static_cast<int>(indices_.size()));
  lower_.push_back(lower);
  upper_.push_back(upper);
}

/// A program in the solver's memory.
class LoadedProgram {
 public:
  explicit LoadedProgram(const LinearProgram& program) : program_(program) {
    std::vector<double> cost;
    std::vector<double> lower;
    std::vector<double> upper;
    for (const LinearProgram::Column& column : program.columns_) {
      cost.push_back(column.cost);
      lower.push_back(column.lower);
      upper.push_back(column.upper);
    }
    const CoinPackedMatrix rows(
        false, static_cast<int>(cost.size()), static_cast<int>(program.rows()), starts().back(),
        program.factors_.data(), program.indices_.data(), program.starts_.data(), nullptr);
    solver_.messageHandler()->setLogLevel(0);
    solver_.loadProblem(rows, lower.data(), upper.data(), cost.data(), program.lower_.data(),
                        program.upper_.data());
    for (std::size_t i = 0; i < program.columns_.size(); ++i)
      if (program.columns_[i].whole) solver_.setInteger(static_cast<int>(i));
  }

  OsiClpSolverInterface& solver() { return solver_; }

  /// What the solver's duals prove of the relaxed sum: for any duals of the right signs,
  /// duals · limits + sum over columns of the least of (reduced cost · value).
  double proven() const {
    const double* duals = solver_.getRowPrice();
    std::vector<double> reduced;
    reduced.reserve(program_.columns_.size());
    for (const LinearProgram::Column& column : program_.columns_) reduced.push_back(column.cost);
    double sum = 0;
    for (std::size_t row = 0; row < program_.rows(); ++row) {
      const double limit = duals[row] > 0 ? program_.lower_[row] : program_.upper_[row];
      if (duals[row] == 0 || std::isinf(limit)) continue;  // taken as 0, which is allowed
      sum += duals[row] * limit;
      for (auto at = static_cast<std::size_t>(starts()[row]);
           at < static_cast<std::size_t>(starts()[row + 1]); ++at)
        reduced[static_cast<std::size_t>(program_.indices_[at])] -=
            duals[row] * program_.factors_[at];
    }
    for (std::size_t i = 0; i < reduced.size(); ++i) {
      const LinearProgram::Column& column = program_.columns_[i];
      const double end = reduced[i] > 0 ? column.lower : column.upper;
      if (std::isinf(end)) continue;  // within the solver's tolerance of 0
      sum += reduced[i] * end;
    }
    return sum;
  }

 private:
  const std::vector<int>& starts() const { return program_.starts_; }

  const LinearProgram& program_;
  OsiClpSolverInterface solver_;
};

namespace {

/// Cuts that pay for packing: tried at the root, kept where they help.
void add_cuts(CbcModel& model) {
  constexpr int kWhereUseful = -1;
  CglProbing probing;
  probing.setUsingObjective(1);
  model.addCutGenerator(&probing, kWhereUseful, "probing");
  CglGomory gomory;
  model.addCutGenerator(&gomory, kWhereUseful, "gomory");
  CglKnapsackCover knapsack;
  model.addCutGenerator(&knapsack, kWhereUseful, "knapsack");
  CglMixedIntegerRounding2 rounding;
  model.addCutGenerator(&rounding, kWhereUseful, "rounding");
}

}  // namespace

std::optional<RelaxedAnswer> solve_relaxed(const LinearProgram& program) {
  LoadedProgram loaded(program);
  OsiClpSolverInterface& solver = loaded.solver();
  solver.initialSolve();
  if (solver.isProvenPrimalInfeasible()) return std::nullopt;
  const double* duals = solver.getRowPrice();
  const double* values = solver.getColSolution();
  return RelaxedAnswer{.at_least = loaded.proven(),
                       .duals = {duals, duals + program.rows()},
                       .values = {values, values + program.columns().size()}};
}

WholeAnswer solve_whole(const LinearProgram& program, const WholeLimits& limits) {
  LoadedProgram loaded(program);
  CbcModel model(loaded.solver());
  model.setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  model.setAllowableGap(0);
  model.setCutoffIncrement(0);
  if (limits.gap > 0) model.setAllowableFractionGap(limits.gap);
  if (limits.nodes > 0) model.setMaximumNodes(limits.nodes);
  if (!std::isinf(limits.below)) model.setCutoff(limits.below);
  if (!std::isinf(limits.seconds)) {
    model.setUseElapsedTime(true);
    model.setMaximumSeconds(std::max(0.0, limits.seconds));
  }
  add_cuts(model);
  model.initialSolve();
  WholeAnswer answer;
  if (model.solver()->isProvenPrimalInfeasible()) {
    answer.proven = true;
    answer.at_least = limits.below;
    return answer;
  }
  model.branchAndBound();
  answer.proven = model.status() == 0;
  answer.at_least = model.getBestPossibleObjValue();
  if (const double* best = model.bestSolution()) {
    answer.values.assign(best, best + program.columns().size());
    if (answer.proven && limits.gap == 0) answer.at_least = model.getObjValue();
  } else if (answer.proven) {
    answer.at_least = limits.below;
  }
  return answer;
}

}  // namespace penstock
