#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"

namespace penstock {

/// What a user submitted. Never changes after submission, and holds only what the user stated: the
/// true run time is in TracedJob.
struct Job {
  JobId id{};
  Time submitted{};
  std::uint32_t gpus = 1;
  Duration requested{};  ///< the wall time asked for
  std::optional<Time> deadline{};
  double priority = 0;              ///< larger goes first where a policy cares
  MoneyRate tardiness_weight{};     ///< what each second past the deadline costs
  std::uint64_t gpu_types = ~0ull;  ///< bit i: may run on the cluster's type i
  std::vector<JobId> parents{};     ///< it becomes ready when all of them have ended
  std::string name{};               ///< the trace's own identifier, always text
  std::string user{};
  std::string group{};              ///< virtual cluster, account or queue
  std::string kind{};               ///< what it trains; empty if the trace does not say
  std::optional<KindId> kind_id{};  ///< how it scales; a job without one runs rigid
  /// What it has to do in all, as its user says: samples, or for a rigid job the
  /// milliseconds of `requested`.
  Work work{};
  /// How much of `work` it may really need, in Models: its user states the most.
  std::optional<EpochsId> epochs{};
  double batch = 0;         ///< the batch size asked for, over all GPUs; 0 if the trace names none
  SiteId home = kNoSite;    ///< where its files are when it is submitted
  float files_gb = 0;       ///< what must be where it runs
  float checkpoint_gb = 0;  ///< what must be there beside its files once it has run
  bool pinned = false;      ///< once it runs it stays as it is until it ends: it has no checkpoints

  /// Its believed speed with the requested GPUs and batch size.
  Speed asked_speed() const {
    return work > Work{} && requested > Duration::zero() ? work / requested : Speed(1);
  }
};

/// How a job left the system.
enum class Outcome : std::uint8_t {
  completed,
  killed,  ///< ran into the time it had asked for
};

}  // namespace penstock
