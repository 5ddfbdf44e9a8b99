#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace penstock {

// Joint scheduling and capacity allocation at one instant: which jobs run now, on which node, with
// how many GPUs. Times are seconds, money is in one currency; both are plain numbers here.

/// One way to run a job. Parts of a GPU are counted in slices, JointProblem::slices to a GPU.
struct JointOption {
  std::uint32_t type = 0;       ///< of the node's GPUs
  std::uint32_t slices = 1;     ///< a part of one GPU, or whole GPUs
  double seconds = 0;           ///< for all that is left to do, as expected
  double worst = 0;             ///< the same at worst: what is held against the deadline
  double own_rate = 0;          ///< money an hour that the job costs beside its node's table
  double own_watts = 0;         ///< what of it is for power, where that is known
  std::uint32_t clock_mhz = 0;  ///< of the GPUs in this way; 0 if nobody sets it
};

/// Where a job runs, and which of its options.
struct Assignment {
  std::uint32_t node = 0;
  std::uint32_t option = 0;
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

struct JointJob {
  std::string name{};
  double submitted = 0;
  double deadline = std::numeric_limits<double>::infinity();
  double weight = 0;                    ///< money for each second past the deadline
  std::vector<JointOption> options{};   ///< at least one; no two with the same type and slices
  std::optional<Assignment> running{};  ///< at present
  double restart = 0;                   ///< seconds it loses by going on otherwise than at present
  /// What its work is worth, where it is known by what power is to cost until the deadline; in
  /// place of its marginal cost at later prices.
  std::optional<double> worth{};
};

struct JointNode {
  std::string name{};
  std::uint32_t type = 0;
  std::uint32_t gpus = 0;  ///< that may be planned with: jobs that are running hold some of them
  std::vector<double> cost{};  ///< money an hour by GPUs in use: gpus + 1 entries, never falling
};

/// The problem to be solved.
struct JointProblem {
  double now = 0;
  std::uint32_t slices = 1;  ///< of one GPU: 1, 2, 4 or 8
  std::uint32_t types = 0;
  double interval = 600;  ///< seconds until a job's way is changed again, as expected
  double later = 1;       ///< what energy is to cost later, as a multiple of what it costs now
  bool unique = false;    ///< no node runs two jobs, as in an older published form
  std::vector<JointJob> jobs{};
  std::vector<JointNode> nodes{};
};

/// GPUs of a node in use when so many slices are: parts of a GPU are powers of two, so they
/// always fill whole GPUs.
constexpr std::uint32_t gpus_for(std::uint32_t slices_used, std::uint32_t slices_of_a_gpu) {
  return (slices_used + slices_of_a_gpu - 1) / slices_of_a_gpu;
}

/// Whether a way at a lower clock is better than the best so far at higher ones: cheaper to the end
/// of the job, with a tenth of the `left` seconds to the deadline to spare. `share` is money an
/// hour for its part of a node; `lost` are seconds of a restart.
inline bool is_better_clock(const JointOption& slow, const JointOption& best, double share,
                            double lost, double left) {
  constexpr double kCaution = 0.9;
  return slow.worst + lost <= kCaution * left &&
         (share + slow.own_rate) * slow.seconds < (share + best.own_rate) * best.seconds;
}

/// Where each job runs; nothing for a job that waits. Indexed like JointProblem::jobs.
using Assignments = std::vector<std::optional<Assignment>>;

}  // namespace penstock
