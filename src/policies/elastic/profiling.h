#pragma once

#include <map>
#include <optional>

#include "policies/elastic/board.h"
#include "policies/elastic/plan.h"

namespace penstock {

/// Short runs that find out how a kind of training scales that is only guessed at: on one GPU
/// at the highest clock, on one at three fifths of it, and on two. They are runs of the
/// kind's first job, do its work and are paid for as any other; the third costs it a restart.
class Profiling {
 public:
  /// Without a length of a run, nothing is profiled.
  explicit Profiling(std::optional<Duration> each) : each_(each) {}

  /// Settles how jobs that profile shall run, takes that from `left`, and asks to be asked
  /// again when a run is long enough. A run that does not fit is put off. Says whether any job
  /// was settled.
  bool settle(Board& board, PlanLimits& left);

 private:
  bool settle(BoardJob& job, Board& board, PlanLimits& left);
  /// The run that a job shall make now; none if all were made, or it can make no more.
  std::optional<Way> next_run(const BoardJob& job, const Board& board);
  bool is_made(const BoardJob& job, const Way& run, Time now) const;

  std::optional<Duration> each_;
  std::map<KindId, std::uint32_t> made_;  ///< how many of the three, or past them
};

}  // namespace penstock
