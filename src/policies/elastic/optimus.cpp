// Optimus (Peng et al., EuroSys'18): every job gets its least, the shortest first; then each
// further step goes to the job whose remaining time it shortens most for each GPU.
#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "policies/elastic/rivals.h"
#include "policies/elastic/sharing.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

struct Gain {
  double seconds_per_gpu = 0;
  std::uint32_t job = 0;  ///< its place on the board
  std::uint32_t next = 0;
  bool operator<(const Gain& other) const {  // priority_queue keeps the largest on top
    return std::pair(seconds_per_gpu, other.job) < std::pair(other.seconds_per_gpu, job);
  }
};

class Optimus final : public Allocator {
 public:
  explicit Optimus(Duration interval) : interval_(interval) {}

  void allocate(Board& board) override {
    free_ = board.gpus;
    give_least(board);
    give_more(board);
    keep_unless_growth_pays(board);
    if (!board.jobs.empty()) board.ask_again = board.view.now + interval_;
    if (board.view.explain)
      for (BoardJob& job : board.jobs) job.why = why(job, board);
  }

 private:
  std::string why(const BoardJob& job, const Board& board) const {
    const std::uint32_t least = *next_size(job, 0, board);
    if (!job.runs())
      return fmt::format("needs {} at least, and shorter jobs leave {} of {}", gpus_label(least),
                         free_, board.gpus);
    const Duration ahead = job.left / speed_with(job, job.gpus, board);
    if (job.gpus <= least) return fmt::format("{} left so", duration_label(ahead));
    const Duration saved = job.left / speed_with(job, least, board) - ahead;
    return fmt::format("{} left so, {} less than with {}", duration_label(ahead),
                       duration_label(saved), least);
  }

  void give_least(Board& board) {
    std::vector<BoardJob*> order;
    order.reserve(board.jobs.size());
    for (BoardJob& job : board.jobs) order.push_back(&job);
    std::ranges::stable_sort(order, {}, [&](const BoardJob* job) {
      return job->left / speed_with(*job, *next_size(*job, 0, board), board);
    });
    for (BoardJob* job : order) {
      const std::uint32_t least = *next_size(*job, 0, board);
      if (least > free_) continue;
      job->gpus = least;
      free_ -= least;
    }
  }

  void give_more(Board& board) {
    for (std::uint32_t i = 0; i < board.jobs.size(); ++i) offer(i, board);
    while (!gains_.empty()) {
      const Gain gain = gains_.top();
      gains_.pop();
      BoardJob& job = board.jobs[gain.job];
      if (gain.next - job.gpus > free_) continue;
      free_ -= gain.next - job.gpus;
      job.gpus = gain.next;
      offer(gain.job, board);
    }
  }

  void offer(std::uint32_t index, const Board& board) {
    const BoardJob& job = board.jobs[index];
    if (!job.runs()) return;
    const auto next = next_size(job, job.gpus, board);
    if (!next) return;
    const Duration saved =
        job.left / speed_with(job, job.gpus, board) - job.left / speed_with(job, *next, board);
    gains_.push({seconds(saved) / (*next - job.gpus), index, *next});
  }

  Duration interval_;
  std::uint32_t free_ = 0;
  std::priority_queue<Gain> gains_;
};

}  // namespace

std::unique_ptr<Allocator> make_optimus(Duration interval) {
  return std::make_unique<Optimus>(interval);
}

}  // namespace penstock
