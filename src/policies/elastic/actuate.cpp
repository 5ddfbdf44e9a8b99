#include "policies/elastic/actuate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "policy/reasons.h"

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
    explain(job, [&] { return job.gpus_now == 0 ? "waits" : "stopped"; });
    if (job.gpus_now == 0) return;
    packing_.give(job.id);
    decision_.actions.emplace_back(Preempt{job.id});
  }

  /// What is done, and why.
  template <class MakeText>
  void explain(const BoardJob& job, const MakeText& what) {
    add_reason(board_.view, decision_, job.id, [&] {
      const std::string text = what();
      return job.why.empty() ? text : text + ": " + job.why;
    });
  }
  static std::string gpus_and_clock(const BoardJob& job) {
    std::string text = gpus_label(job.gpus);
    if (job.knobs.clock_mhz) text += fmt::format(" at {} MHz", *job.knobs.clock_mhz);
    return text;
  }

  /// Clock and batch of a job that keeps its GPUs; what is not chosen stays.
  void drive(const BoardJob& job) {
    const auto& [clock, batch] = job.knobs;
    if (clock && *clock != job.state->clock_mhz) {
      decision_.actions.emplace_back(SetClock{job.id, *clock});
      explain(job, [&] { return clock_change(*clock, job); });
    }
    if (batch && *batch != job.state->batch) {
      decision_.actions.emplace_back(SetBatch{job.id, *batch});
      explain(job, [&] {
        return fmt::format("a batch of {:.0f} instead of {:.0f}", *batch, job.state->batch);
      });
    }
  }
  static std::string clock_change(std::uint32_t clock, const BoardJob& job) {
    return fmt::format("{} MHz instead of {}", clock, job.state->clock_mhz);
  }

  void resize(const BoardJob& job, Placement where) {
    packing_.give(job.id);
    packing_.take(job.id, where);
    decision_.actions.emplace_back(Resize{job.id, std::move(where), job.knobs});
    explain(job,
            [&] { return fmt::format("{} instead of {}", gpus_and_clock(job), job.gpus_now); });
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
    if (clock >= job.state->clock_mhz) return;
    decision_.actions.emplace_back(SetClock{job.id, clock});
    add_reason(board_.view, decision_, job.id, [&] {
      return fmt::format("{}: there is no room for the {} that were planned",
                         clock_change(clock, job), gpus_label(job.gpus));
    });
  }

  void start(const BoardJob& job) {
    auto where = packing_.place(job.gpus);
    if (!where && make_room(job)) where = packing_.place(job.gpus);
    if (!where)
      return add_reason(board_.view, decision_, job.id, [&] {
        return fmt::format("waits: {} are planned for it, but not free together",
                           gpus_label(job.gpus));
      });
    packing_.take(job.id, *where);
    decision_.actions.emplace_back(Start{job.id, *std::move(where), job.knobs});
    explain(job, [&] { return gpus_and_clock(job); });
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
    for (const Move& move : *moves) migrate(move, job);
    return true;
  }

  /// Jobs started by this decision are never moved by it: they are as large as any that follow.
  void migrate(const Move& move, const BoardJob& for_whom) {
    packing_.give(move.job);
    packing_.take(move.job, move.to);
    decision_.actions.emplace_back(Migrate{move.job, move.to});
    add_reason(board_.view, decision_, move.job, [&] {
      return fmt::format("moved, so that {} finds {} together", job_label(for_whom.id),
                         gpus_label(for_whom.gpus));
    });
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
