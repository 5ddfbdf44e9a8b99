#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace penstock {

// Which of the jobs should wait because power will cost less while there is still time. Times are
// seconds from now, money is in one currency; both are plain numbers, as in joint/problem.h.

/// A stretch of the future over which power has one price.
struct PriceStep {
  double begin = 0;
  double end = 0;
  std::vector<double> price{};  ///< by type: money an hour for a unit of power
};

/// One way to do a job that may wait.
struct DeferrableWay {
  std::uint32_t type = 0;
  std::uint32_t slices = 1;
  double seconds = 0;  ///< for all the work that is left
  double power = 0;    ///< units of it, such as watts
  double rent = 0;     ///< money an hour whatever power costs
};

struct DeferrableJob {
  double left = 0;                    ///< it must have ended by then
  double restart = 0;                 ///< seconds that it loses if it stops now; 0 if it waits
  bool in_one_piece = false;          ///< it cannot be stopped once it runs
  std::vector<DeferrableWay> ways{};  ///< in which it may be done, in turn
};

/// What is best for one job.
struct Deferral {
  bool waits = false;  ///< it should not run now, because later is cheaper
  /// What all its work would cost at the price of its dearest part; none if it must run at once.
  std::optional<double> worth{};
  std::optional<double> again{};  ///< when it should begin or pause, if it ever should
};

struct DeferralSettings {
  std::vector<double> slices{};   ///< of each type, that are there
  std::vector<double> largest{};  ///< of each type, on one node
  double gpu = 1;                 ///< slices of one GPU
  double arriving = 0;            ///< the part of all slices that jobs still to come will need
  double margin = 0.03;           ///< power must become cheaper by this part for a job to wait
};

/// For each job: the hours before its deadline in which its work costs least, given the hours that
/// jobs with less slack take. A job may be done in pieces, each in the way that pays there; by
/// linear programming, it is done in the steps and ways of the least marginal cost, and the dearest
/// of these is what its work is worth. In future steps room is left for jobs to come, and the more
/// the larger a part of a node the job needs in one piece. `steps` begin at 0 and follow each other
/// without gaps.
std::vector<Deferral> defer_jobs(const std::vector<DeferrableJob>& jobs,
                                 const std::vector<PriceStep>& steps,
                                 const DeferralSettings& settings);

}  // namespace penstock
