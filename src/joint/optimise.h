#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/time.h"
#include "joint/objective.h"

namespace penstock {

/// Every method makes complete plans: no job waits that would fit beside those that run. By the
/// published objective, doing nothing would often be cheapest.
enum class JointMethod : std::uint8_t {
  greedy,         ///< by pressure, cheapest that meets the deadline, else fastest
  random_greedy,  ///< the best of many greedy plans with some randomisation
  local_search,   ///< improves those by seven kinds of moves
  relinking,      ///< adds path relinking; searches small problems more widely
  exact,          ///< a proven best plan, for small problems
  fifo,           ///< never touches running jobs: by submission
  edf,            ///< the same by deadline
  priority,       ///< the same by weight
  atc,            ///< a list rule: by apparent tardiness cost, one GPU a job
};

/// Whatever the number of threads, the same problem, settings and seed give the same plan, unless
/// a time limit cuts it short.
struct JointSettings {
  JointMethod method = JointMethod::random_greedy;
  JointAim aim = JointAim::first_finish;
  std::uint64_t seed = 4010;
  unsigned threads = 1;
  std::uint32_t iterations = 1000;       ///< of randomised greedy
  std::uint32_t elites = 10;             ///< plans that are improved and linked
  std::optional<Duration> time_limit{};  ///< after it, the best plan so far
  /// Random plans stray as little as the authors' program lets them, and none leaves everything as
  /// it is; see Randomisation.
  bool as_published = false;
};

struct JointResult {
  Assignments jobs{};
  JointCost cost{};
  double first_finish = 0;           ///< seconds from now
  std::uint64_t evaluated = 0;       ///< plans or moves that were evaluated
  std::optional<double> at_least{};  ///< exact: no plan costs less than this
  bool cut_short = false;            ///< by the time limit
};

/// The best plan that a method finds; every method but JointMethod::exact, which is in solve.
JointResult optimise(const JointProblem& problem, const JointSettings& settings);

}  // namespace penstock
