#include "policy/elastic/actuate.h"

#include <algorithm>
#include <limits>

namespace penstock {
namespace {

class Actuation {
 public:
  Actuation(const Board& board, Packing& packing, Decision& decision)
      : board_(board), packing_(packing), decision_(decision) {}

  void all() {
    std::vector<const BoardJob*> larger;
    for (const BoardJob& job : board_.jobs) {
      if (!job.runs())
        stop(job);
      else if (job.gpus == job.gpus_now)
        drive(job);
      else if (job.gpus < job.gpus_now)
        shrink(job);
      else
        larger.push_back(&job);
    }
    // Large blocks first: small ones fit into what remains.
    std::ranges::stable_sort(larger, std::ranges::greater{}, &BoardJob::gpus);
    for (const BoardJob* job : larger) job->gpus_now == 0 ? start(*job) : grow(*job);
  }

 private:
  void stop(const BoardJob& job) {
    if (job.gpus_now == 0) return;
    packing_.give(job.id);
    decision_.actions.emplace_back(Preempt{job.id});
  }

  /// Clock and batch of a job that keeps its GPUs; what is not chosen stays.
  void drive(const BoardJob& job) {
    const auto& [clock, batch] = job.knobs;
    if (clock && *clock != job.state->clock_mhz)
      decision_.actions.emplace_back(SetClock{job.id, *clock});
    if (batch && *batch != job.state->batch)
      decision_.actions.emplace_back(SetBatch{job.id, *batch});
  }

  void resize(const BoardJob& job, Placement where) {
    packing_.give(job.id);
    packing_.take(job.id, where);
    decision_.actions.emplace_back(Resize{job.id, std::move(where), job.knobs});
  }

  void shrink(const BoardJob& job) {
    if (auto where = packing_.place_instead(job.id, job.gpus)) resize(job, *std::move(where));
  }

  void grow(const BoardJob& job) {
    if (auto where = packing_.place_instead(job.id, job.gpus))
      return resize(job, *std::move(where));
    make_room(job);
    if (auto where = packing_.place_instead(job.id, job.gpus))
      return resize(job, *std::move(where));
    slow_down(job);
  }

  /// A job that keeps its GPUs against the plan may not draw more than was planned for it.
  void slow_down(const BoardJob& job) {
    const std::uint32_t clock = job.knobs.clock_mhz.value_or(board_.gpu_type().max_clock_mhz);
    if (clock < job.state->clock_mhz) decision_.actions.emplace_back(SetClock{job.id, clock});
  }

  void start(const BoardJob& job) {
    auto where = packing_.place(job.gpus);
    if (!where && make_room(job)) where = packing_.place(job.gpus);
    if (!where) return;
    packing_.take(job.id, *where);
    decision_.actions.emplace_back(Start{job.id, *std::move(where), job.knobs});
  }

  /// Every job moved loses a restart; together they must lose less than the job would by
  /// waiting for as long as it still needs.
  bool make_room(const BoardJob& job) {
    const double worth = seconds(time_as_asked(job));
    const double restart = seconds(board_.view.state.costs().restart);
    const auto cost = [&](JobId id) {
      return board_.view.state.job(id).job.pinned ? std::numeric_limits<double>::infinity()
                                                  : restart;
    };
    const auto moves = packing_.make_room(job.gpus, cost);
    if (!moves || static_cast<double>(moves->size()) * restart > worth) return false;
    for (const Move& move : *moves) migrate(move);
    return true;
  }

  /// Jobs started by this decision are never moved by it: they are as large as any that follow.
  void migrate(const Move& move) {
    packing_.give(move.job);
    packing_.take(move.job, move.to);
    decision_.actions.emplace_back(Migrate{move.job, move.to});
  }

  const Board& board_;
  Packing& packing_;
  Decision& decision_;
};

}  // namespace

void actuate(const Board& board, Packing& packing, Decision& decision) {
  Actuation(board, packing, decision).all();
}

}  // namespace penstock
