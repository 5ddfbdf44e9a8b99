// AFS-L (Hwang et al., "Elastic Resource Sharing for Distributed Deep Learning", NSDI'21):
// GPUs are given one step at a time to the job that wins against all others. Of two, the
// shorter wins unless the longer gains more from the step than the shorter.
#include <fmt/format.h>

#include <algorithm>

#include "policies/elastic/rivals.h"
#include "policies/elastic/sharing.h"
#include "policy/reasons.h"

namespace penstock {
namespace {

struct Contender {
  BoardJob* job = nullptr;
  std::uint32_t next = 0;  ///< GPUs after the step
  Speed now{};
  Speed then{};
  Duration ahead{};  ///< as it is; with its first GPUs if it has none
};

class Afs final : public Allocator {
 public:
  void allocate(Board& board) override {
    std::vector<Contender> contenders;
    for (BoardJob& job : board.jobs)
      if (auto contender = contend(job, board)) contenders.push_back(*contender);
    std::uint32_t free = board.gpus;
    while (!contenders.empty()) {
      std::erase_if(contenders, [&](const Contender& c) { return c.next - c.job->gpus > free; });
      if (contenders.empty()) break;
      Contender& winner = best(contenders);
      free -= winner.next - winner.job->gpus;
      winner.job->gpus = winner.next;
      if (const auto again = contend(*winner.job, board))
        winner = *again;
      else
        contenders.erase(contenders.begin() + (&winner - contenders.data()));
    }
    keep_unless_growth_pays(board);
    if (board.view.explain)
      for (BoardJob& job : board.jobs) job.why = why(job, free, board);
  }

 private:
  static std::string why(const BoardJob& job, std::uint32_t free, const Board& board) {
    if (!job.runs())
      return fmt::format("needs {} at least, and those that won before it leave {} of {}",
                         gpus_label(*next_size(job, 0, board)), free, board.gpus);
    return fmt::format(
        "{} left so; steps go to the shorter of two jobs unless the longer gains more",
        duration_label(job.left / speed_with(job, job.gpus, board)));
  }

  static std::optional<Contender> contend(BoardJob& job, const Board& board) {
    const auto next = next_size(job, job.gpus, board);
    if (!next) return std::nullopt;
    Contender c{&job, *next, speed_with(job, job.gpus, board), speed_with(job, *next, board), {}};
    c.ahead = job.left / (job.gpus == 0 ? c.then : c.now);
    return c;
  }

  static bool wins(const Contender& a, const Contender& b) {
    const bool a_is_shorter = std::pair(a.ahead, a.job->id) < std::pair(b.ahead, b.job->id);
    return a_is_shorter ? !longer_gains_more(a, b) : longer_gains_more(b, a);
  }

  static bool longer_gains_more(const Contender& shorter, const Contender& longer) {
    if (shorter.job->gpus == 0) return false;
    return (longer.then - longer.now) / longer.then > (shorter.then - shorter.now) / shorter.now;
  }

  static Contender& best(std::vector<Contender>& contenders) {
    Contender* best = &contenders.front();
    for (Contender& c : contenders)
      if (&c != best && wins(c, *best)) best = &c;
    return *best;
  }
};

}  // namespace

std::unique_ptr<Allocator> make_afs() {
  return std::make_unique<Afs>();
}

}  // namespace penstock
