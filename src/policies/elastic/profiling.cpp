#include "policies/elastic/profiling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "policy/reasons.h"

namespace penstock {
namespace {

struct Run {
  std::uint32_t gpus = 1;
  double clock = 1;  ///< relative to the highest
};
constexpr std::array kRuns{Run{1, 1}, Run{1, 0.6}, Run{2, 1}};

std::uint32_t nearest_clock(double relative, const GpuType& type) {
  const auto clocks = chosen_clocks(type);
  return *std::ranges::min_element(
      clocks, {}, [&](std::uint32_t mhz) { return std::abs(mhz - relative * type.max_clock_mhz); });
}

/// The batch that was asked for, or the nearest that one GPU can hold and so can any number.
double possible_batch(const BoardJob& job) {
  const BatchRange& range = job.profile->batch;
  return std::clamp(job.state->job.batch, range.least,
                    std::max(range.least, std::min(range.most, range.local_most)));
}

/// Nothing if the job cannot run so.
std::optional<Way> way_of(const Run& run, const BoardJob& job, const Board& board) {
  const GpuType& type = board.gpu_type();
  const std::uint32_t mhz = nearest_clock(run.clock, type);
  if (run.clock < 1 && mhz == type.max_clock_mhz) return std::nullopt;
  const double clock = type.max_clock_mhz == 0 ? 1 : double(mhz) / type.max_clock_mhz;
  const Config config{.gpus = run.gpus,
                      .nodes = (run.gpus + board.node_gpus - 1) / board.node_gpus,
                      .batch = possible_batch(job),
                      .clock = clock};
  if (!runs(*job.profile, config)) return std::nullopt;
  return Way{.gpus = run.gpus,
             .clock_mhz = mhz,
             .batch = config.batch,
             .draw = std::max(draw(*job.profile, config) - type.idle * run.gpus, Watts(1))};
}

bool runs_so(const BoardJob& job, const Way& run) {
  return job.gpus_now == run.gpus && job.state->phase == Phase::running &&
         job.state->clock_mhz == run.clock_mhz && job.state->batch == run.batch;
}

}  // namespace

bool Profiling::settle(Board& board, PlanLimits& left) {
  if (!each_) return false;
  bool any = false;
  std::set<KindId> kinds;
  for (BoardJob& job : board.jobs) {
    if (job.profile == nullptr) continue;
    const KindId kind = *job.state->job.kind_id;
    if (board.view.models.is_guess(kind, board.type) && kinds.insert(kind).second)
      any |= settle(job, board, left);
  }
  return any;
}

bool Profiling::settle(BoardJob& job, Board& board, PlanLimits& left) {
  const auto run = next_run(job, board);
  if (!run) return false;
  const Joules energy = run->draw * *each_;
  if (run->gpus > left.gpus || run->draw > left.power || energy > left.energy) return false;
  left.gpus -= run->gpus;
  left.power -= run->draw;
  left.energy -= energy;
  job.gpus = run->gpus;
  job.knobs = {run->clock_mhz, run->batch};
  if (board.view.explain)
    job.why = "a run of " + duration_label(*each_) + " to find out how its kind of training scales";
  const Time begins = runs_so(job, *run) ? job.state->work_begins : board.view.now;
  board.ask_again = std::min(board.ask_again.value_or(Time::max()), begins + *each_);
  return true;
}

std::optional<Way> Profiling::next_run(const BoardJob& job, const Board& board) {
  for (std::uint32_t& made = made_[*job.state->job.kind_id]; made < kRuns.size(); ++made) {
    const auto run = way_of(kRuns[made], job, board);
    if (run && !is_made(job, *run, board.view.now)) return run;
  }
  return std::nullopt;
}

bool Profiling::is_made(const BoardJob& job, const Way& run, Time now) const {
  return runs_so(job, run) && now - job.state->work_begins >= *each_;
}

}  // namespace penstock
