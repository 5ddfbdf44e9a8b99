#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/site/command_queue.h"
#include "model/event.h"

namespace penstock {

/// Jobs of the pool between their submission to this site and Slurm's showing them. Each is
/// submitted once, whatever becomes of the request: one that Slurm has taken is never given back.
class PoolLaunches {
 public:
  struct Launch {
    std::int64_t number = 0;  ///< in the pool
    JobId id{};
    Placement where{};
    std::uint32_t clock_mhz = 0;
    Time since{};
    std::optional<std::int64_t> job{};  ///< Slurm's number, once it has accepted the job
  };

  PoolLaunches(SlurmSiteState& site, SlurmPoller& poller, CommandQueue& commands)
      : site_(site), poller_(poller), commands_(commands) {}

  /// Submits a job, and takes its GPUs: the scheduler's state shows it running there.
  void launch(PooledJob& job, const Start& start, const Cause& cause);
  /// The launch that a job which Slurm shows came from; nothing if from none.
  const Launch* find(const SlurmJob& seen) const;
  /// The number in the pool that a job was submitted with. What anybody may write into a comment
  /// counts only if we have submitted the job.
  std::optional<std::int64_t> number_of(const SlurmJob& seen) const;
  /// Slurm shows it: it is no longer a launch, nor in the pool.
  void remove(std::int64_t number);
  /// Returns jobs to the pool whose launch was not answered for too long. Returns the numbers of
  /// jobs that Slurm has taken and does not show.
  std::vector<std::int64_t> check_overdue(Time now);

 private:
  void on_reply(std::int64_t number, const nlohmann::json& body, Time now);
  void give_back(std::int64_t number, const std::string& why, Time now);

  SlurmSiteState& site_;
  SlurmPoller& poller_;
  CommandQueue& commands_;
  std::map<std::int64_t, Launch> launches_;  ///< by number in the pool
};

}  // namespace penstock
