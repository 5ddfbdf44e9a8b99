// Gandiva (Xiao et al., OSDI'18): jobs run at the size they asked for; when some wait, all
// take turns in time slices; when none waits, idle GPUs are lent to running jobs. Packing two
// jobs on a GPU is left out: no measurements of it are used here.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "policies/elastic/rivals.h"
#include "policies/elastic/sharing.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

class Gandiva final : public Allocator {
 public:
  explicit Gandiva(const GandivaOptions& options) : options_(options) {}

  void allocate(Board& board) override {
    take_turns(board);
    const bool all_run = std::ranges::all_of(board.jobs, &BoardJob::runs);
    if (all_run && options_.grow) lend(board);
    keep_unless_growth_pays(board);
    if (!all_run) board.ask_again = next_turn(board);
    if (board.view.explain)
      for (BoardJob& job : board.jobs) job.why = why(job, board.view.now);
  }

 private:
  Duration had(const BoardJob& job, Time now) const {
    return job.state->held + (job.gpus_now > 0 ? now - job.state->started : Duration::zero());
  }

  std::string why(const BoardJob& job, Time now) const {
    const std::uint32_t asked = job.state->job.gpus;
    if (job.gpus > asked)
      return fmt::format("asked for {}; the others are lent to it, since nobody waits", asked);
    const std::string turns = fmt::format("has had {} slices of {}", had(job, now) / options_.slice,
                                          duration_label(options_.slice));
    if (job.runs()) return "its turn, " + turns;
    return fmt::format("{}; asks for {}, those before it leave {}", turns, gpus_label(asked),
                       free_);
  }

  /// By the slices that jobs have had; nobody is stopped within one, and at its end those that
  /// wait go first.
  auto rank(const BoardJob& job, Time now) const {
    const bool within = job.gpus_now > 0 && had(job, now) % options_.slice != Duration::zero();
    return std::tuple(had(job, now) / options_.slice, !within, job.gpus_now > 0, job.id);
  }

  void take_turns(Board& board) {
    std::vector<BoardJob*> order;
    order.reserve(board.jobs.size());
    for (BoardJob& job : board.jobs) order.push_back(&job);
    std::ranges::stable_sort(order, {},
                             [&](const BoardJob* job) { return rank(*job, board.view.now); });
    free_ = board.gpus;
    for (BoardJob* job : order) {
      const std::uint32_t gpus = job->state->job.gpus;
      if (gpus > free_) continue;
      job->gpus = gpus;
      free_ -= gpus;
    }
  }

  /// Doubles jobs in turn, the smallest first, for as long as it helps them.
  void lend(Board& board) {
    for (bool grown = true; grown && free_ > 0;) {
      grown = false;
      for (BoardJob& job : board.jobs) {
        const auto next = next_size(job, job.gpus, board);
        if (!next || *next - job.gpus > free_) continue;
        free_ -= *next - job.gpus;
        job.gpus = *next;
        grown = true;
      }
    }
  }

  Time next_turn(const Board& board) const {
    Time next = board.view.now + options_.slice;
    for (const BoardJob& job : board.jobs) {
      if (job.gpus_now == 0) continue;
      const Duration into = had(job, board.view.now) % options_.slice;
      next = std::min(next, board.view.now + options_.slice - into);
    }
    return next;
  }

  GandivaOptions options_;
  std::uint32_t free_ = 0;
};

}  // namespace

std::unique_ptr<Allocator> make_gandiva(const GandivaOptions& options) {
  return std::make_unique<Gandiva>(options);
}

}  // namespace penstock
