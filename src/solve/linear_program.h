#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace penstock {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// A sum to be made least under linear constraints, some of its variables whole numbers.
class LinearProgram {
 public:
  struct Column {
    double cost = 0;
    double lower = 0;
    double upper = kNoLimit;
    bool whole = false;
  };
  struct Term {
    int column = 0;
    double factor = 0;
  };

  /// Returns the column's number.
  int add(const Column& column);
  /// lower <= sum of the terms <= upper. No column twice.
  void add_row(std::span<const Term> terms, double lower, double upper);

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t rows() const { return lower_.size(); }

 private:
  friend class LoadedProgram;
  std::vector<Column> columns_;
  std::vector<int> starts_{0};  ///< of each row's terms
  std::vector<int> indices_;
  std::vector<double> factors_;
  std::vector<double> lower_;
  std::vector<double> upper_;
};

struct RelaxedAnswer {
  double at_least = 0;
  std::vector<double> duals{};   ///< of each row: what one more unit of its limits would add
  std::vector<double> values{};  ///< of each column, within the solver's tolerances
};

/// The least sum if no variable need be whole; nothing if the constraints cannot be kept. It is
/// what the duals prove, so it is never above the true one, whatever the solver's tolerances, as
/// long as all columns that can be large have an upper limit.
std::optional<RelaxedAnswer> solve_relaxed(const LinearProgram& program);

struct WholeLimits {
  double below = kNoLimit;    ///< only answers with a lesser sum are of interest
  double seconds = kNoLimit;  ///< of wall time
  double gap = 0;             ///< an answer is good enough if no other is better by such a part
  int nodes = 0;              ///< of the search tree; 0: as many as it takes
};

struct WholeAnswer {
  std::vector<double> values{};  ///< of the best answer found; empty if there is none
  double at_least = -kNoLimit;   ///< no answer has a lesser sum, or none below the limit
  bool proven = false;           ///< it is the best up to the gap, or there is none
};

/// The best answer with whole variables, by branch and bound: single-threaded, silent, and the
/// same in every run that its time limit does not end.
WholeAnswer solve_whole(const LinearProgram& program, const WholeLimits& limits);

}  // namespace penstock
