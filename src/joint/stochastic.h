#pragma once

#include <cstdint>
#include <span>

#include "base/survival.h"

namespace penstock {

/// One way to run a job whose work is uncertain.
struct StochasticOption {
  double speed = 0;  ///< work a second; positive
  double rate = 0;   ///< money a second
};

/// The best option now, and what to expect if the choice is repeated as the job advances.
struct StochasticChoice {
  std::uint32_t option = 0;
  double expected_cost = 0;
  double expected_seconds = 0;
  double worst_seconds = 0;  ///< if all the work is needed
};

/// How to run a job of which only the distribution of its work is known, so that its expected cost
/// is least and all the work that may be needed is done in `seconds_left` (after Filippini,
/// Anselmi, Ardagna and Gaujal, IEEE TCC 2024): with S = `needed`, options i of speed s and rate p
///
///   least  Σ p_i/s_i · ∫ S(w) dw over the work done by i     with  Σ (work done by i)/s_i ≤ left
///
/// Likely work is done cheaply, the unlikely rest quickly, so only the first part is of use now.
/// The plan is the best one: for a price μ of time, work that is needed with probability S is done
/// by the least (p·S + μ)/s, and μ is the least that meets the deadline. If no option meets it,
/// the fastest does everything. `options` must not be empty.
StochasticChoice choose_stochastic(const Survival& needed,
                                   std::span<const StochasticOption> options, double seconds_left);

}  // namespace penstock
