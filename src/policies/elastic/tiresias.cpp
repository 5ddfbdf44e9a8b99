// Tiresias (Gu et al., NSDI'19), discretised two-dimensional least attained service: a job
// sinks through three queues by the GPU-time it has had; within a queue, first come first
// served. Thresholds as in the public simulators.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "policies/elastic/rivals.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

class Tiresias final : public Allocator {
 public:
  explicit Tiresias(const TiresiasOptions& options) : options_(options) {}

  void allocate(Board& board) override {
    forget_ended(board);
    std::vector<Rank> ranks;
    ranks.reserve(board.jobs.size());
    for (BoardJob& job : board.jobs) ranks.push_back(rank(job, board));
    std::ranges::stable_sort(ranks, {},
                             [](const Rank& r) { return std::pair(r.queue, r.job->id); });
    std::uint32_t free = board.gpus;
    for (const Rank& r : ranks) {
      const std::uint32_t gpus = r.job->state->job.gpus;
      if (board.view.explain) r.job->why = why(r, free);
      if (gpus > free) continue;
      r.job->gpus = gpus;
      free -= gpus;
      if (const auto sinks = sinks_at(r, board.view.now))
        board.ask_again = std::min(board.ask_again.value_or(*sinks), *sinks);
    }
  }

 private:
  struct Rank {
    BoardJob* job = nullptr;
    int queue = 0;
    double service = 0;  ///< GPU-seconds that count
  };
  struct Note {
    double forgiven = 0;  ///< GPU-seconds that no longer count, since it was promoted
    std::optional<Time> waits_since{};
  };

  static std::string why(const Rank& r, std::uint32_t free) {
    const std::uint32_t gpus = r.job->state->job.gpus;
    std::string text =
        fmt::format("in queue {} of 3 with {:.0f} GPU-seconds so far", r.queue + 1, r.service);
    if (gpus > free)
      text += fmt::format("; asks for {}, those before it leave {}", gpus_label(gpus), free);
    return text;
  }

  Rank rank(BoardJob& job, const Board& board) {
    const JobState& state = *job.state;
    const Time now = board.view.now;
    const Duration ran = state.held + (job.gpus_now > 0 ? now - state.started : Duration::zero());
    const double served = seconds(ran) * state.job.gpus;
    Note& note = notes_[job.id];
    if (job.gpus_now > 0)
      note.waits_since.reset();
    else if (!note.waits_since)
      note.waits_since = now;
    const bool starves = options_.promote > 0 && note.waits_since && state.starts > 0 &&
                         now - *note.waits_since > options_.promote * ran;
    if (starves) note.forgiven = served;
    const double service = served - note.forgiven;
    return {&job, queue_of(service), service};
  }

  int queue_of(double service) const {
    if (service < options_.first_threshold) return 0;
    return service < options_.second_threshold ? 1 : 2;
  }

  void forget_ended(const Board& board) {
    std::erase_if(notes_, [&](const auto& note) {
      return !std::ranges::binary_search(board.jobs, note.first, {}, &BoardJob::id);
    });
  }

  /// When a job that runs from now on will have used up its queue.
  std::optional<Time> sinks_at(const Rank& r, Time now) const {
    if (r.queue == 2) return std::nullopt;
    const double threshold = r.queue == 0 ? options_.first_threshold : options_.second_threshold;
    const double left = std::max(0.0, threshold - r.service) / r.job->state->job.gpus;
    return now + std::max(ceil_duration(left), Duration(1000));
  }

  TiresiasOptions options_;
  std::map<JobId, Note> notes_;
};

}  // namespace

std::unique_ptr<Allocator> make_tiresias(const TiresiasOptions& options) {
  return std::make_unique<Tiresias>(options);
}

}  // namespace penstock
