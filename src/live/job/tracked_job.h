#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "live/job/comment.h"
#include "live/job/slurm_records.h"
#include "live/site/agents.h"
#include "model/bill.h"
#include "model/event.h"

namespace penstock {

/// What Slurm calls jobs, in the order of their numbers: "9" before "10", "9_2" before "9_10".
struct RefOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const {
    const auto key = [](std::string_view ref) {
      const std::string_view job = ref.substr(0, ref.find('_'));
      const std::string_view task = ref.substr(job.size());
      return std::tuple(job.size(), job, task.size(), task);
    };
    return key(a) < key(b);
  }
};

/// A period in which a job really had GPUs.
struct LiveRun {
  Time started{};
  std::optional<Time> ended{};
  std::uint32_t gpus = 0;
  std::vector<std::string> nodes{};
  std::string type{};
  std::uint32_t clock_mhz = 0;
  std::optional<double> done{};  ///< work at its end, if it was told
  /// From the time it could have started until it did: what Slurm, bridge and polls took.
  std::optional<Duration> lag{};

  /// When the scheduler kept the bill of it.
  struct Watched {
    Time from{};                  ///< when it was told of the run, or said that it shall be
    std::optional<Time> until{};  ///< when it was told of the job's end
    bool found = false;           ///< the run was there before the scheduler knew
    bool metered = false;         ///< by counters of its GPUs, which know when it ended
  };
  std::optional<Watched> watched{};  ///< nothing if it never did
};

/// The progress that a job reported.
struct JobProgress {
  Time when{};
  double done = 0;                ///< of its work
  std::optional<double> saved{};  ///< the same, in its last checkpoint
};

/// An operation on a job, until Slurm shows that it is done, or it is refused or given up.
struct PendingOp {
  enum class Kind : std::uint8_t {
    none,
    starting,   ///< released; Slurm has yet to start it
    saving,     ///< it was told to write a checkpoint
    requeuing,  ///< it was told to stop
  };
  Kind kind = Kind::none;
  Time since{};
  std::optional<Time> retry_at{};  ///< when the last request is sent again
  std::int64_t request = 0;        ///< the last request, in the journal; 0 if none
  bool request_open = false;       ///< it is not known yet what became of that request
  Placement replaced{};            ///< where it was to start before it was told to elsewhere
};

/// A job of governed partitions: what Slurm shows, what the scheduler believes, and what is being
/// done to make the two agree.
struct TrackedJob {
  /// What its user requested; Slurm forgets it when the job is changed.
  struct Asked {
    std::uint32_t gpus = 0;
    std::uint32_t nodes = 0;          ///< 0 if nobody knows
    std::uint32_t gpus_per_node = 0;  ///< 0: as it comes
    std::optional<Time> submitted{};
  };

  SlurmJob seen{};
  std::uint32_t asked = 0;  ///< GPUs, by its user
  Asked shape{};            ///< and how they lie
  bool changed = false;     ///< Slurm shows what we have asked for since
  bool noted = false;       ///< that it was submitted is in the journal
  UserOptions user_options{};
  std::vector<std::string> problems{};  ///< about its comment
  double work = 0;                      ///< in all, as far as is known; 0 if not
  double done_before = 0;               ///< of it, when the scheduler was told of the job
  std::string kind{};                   ///< of the catalogue; empty if it is rigid
  MoneyRate tardiness{};                ///< money for each second after its deadline

  std::optional<JobId> id{};  ///< nothing until the scheduler is told of it
  bool runs = false;          ///< so the scheduler believes
  bool was_started = false;   ///< so the scheduler believes, or did since it was told of the job
  Placement where{};          ///< where the scheduler believes it to run
  std::uint32_t clock_mhz = 0;

  PendingOp op{};
  std::optional<Time> known_since{};  ///< when the scheduler first got to know it
  std::optional<Time> start_asked{};  ///< when its next run was ordered
  std::string start_reason{};         ///< why that was decided, or where it goes on
  bool confirmed = false;             ///< while it runs: Slurm has shown it

  /// What the scheduler believes while it runs: this much was done then, and so much is a second.
  struct Believed {
    double done = 0;  ///< since it was told of the job
    Time since{};
    double per_second = 0;
  };
  std::optional<Believed> believed{};  ///< of jobs of a kind, once they are seen to run
  std::optional<Time> billed{};        ///< until then, while it runs
  std::optional<Time> working{};       ///< the real beginning of its run, until that is billed
  std::optional<Watts> drew{};         ///< by the run before, until that is billed
  Time settled{};  ///< from then on its GPUs draw what the present run lets them
  std::vector<SlurmJob::Held> held{};  ///< GPUs of its present or last run, as Slurm numbers them
  std::vector<Agents::Reading> metered{};  ///< of its GPUs, when that was last billed
  std::optional<double> kept{};   ///< by its checkpoint, since the scheduler was told of the job
  std::uint64_t reported_in = 0;  ///< the batch in which its last id or start was told

  std::uint32_t failed_starts = 0;
  std::optional<Time> not_before{};  ///< after a failed start: taken back until then
  bool gone = false;                 ///< Slurm no longer has it
  bool handed_over = false;          ///< to Slurm's own scheduler, as it came
  std::vector<LiveRun> runs_seen{};
  Bill bill_before{};  ///< of what it ran before the scheduler was last told of it
  Watts usual_draw{};  ///< of one of its GPUs by models, once it has ended: for what nobody saw
  std::vector<JobProgress> progress{};  ///< of the present run, the first and the latest few
};

/// Slurm no longer has it, or shows that it has ended.
bool is_over(const TrackedJob& job);
/// Whether its number of GPUs may change.
bool is_elastic(const TrackedJob& job);
/// Whether work done in one run counts in the next.
bool saves_work(const TrackedJob& job);
/// Work that its earlier runs have saved, since the scheduler was told of it.
double saved_in_runs(const TrackedJob& job);
/// Its speed by the last reports of its present run; nothing if these are too few.
std::optional<Speed> reported_speed(const TrackedJob& job);
/// Why a start of the job would be useless at present; nothing if it would not.
std::optional<std::string> why_not_start(const TrackedJob& job);

}  // namespace penstock
