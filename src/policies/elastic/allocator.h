#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/place/packing.h"
#include "policy/policy.h"

namespace penstock {

/// A job as an allocator sees it, and what the allocator wants for it.
struct AllocationJob {
  JobId id{};
  const JobState* state = nullptr;
  const Profile* profile = nullptr;  ///< as believed; null for a rigid job
  Work left{};
  std::uint32_t gpus_now = 0;  ///< of this pool; 0 if it waits or moves
  Duration restart{};          ///< what a start or a change of GPUs would cost it

  // The decision; initially the job waits.
  std::uint32_t gpus = 0;
  Knobs knobs{};      ///< what is absent stays as it is, or begins as asked
  std::string why{};  ///< for people, if the view asks for it
  bool runs() const { return gpus > 0; }
  /// Whether it runs in another pool and was assigned to this one: given GPUs here it goes on with
  /// them after a restart, else it is stopped.
  bool moves() const { return gpus_now == 0 && state->phase == Phase::running; }
};

/// Everything to be decided at one instant for the GPUs of one type at one site.
struct AllocationProblem {
  const View& view;
  const Packing& packing;
  SiteId site{};
  GpuTypeId type{};
  std::uint32_t gpus = 0;             ///< that are up and that no pinned job holds
  Watts pinned_draw{};                ///< of those that pinned jobs hold, at most, beyond idling
  Joules pinned_ahead{};              ///< what those will need still, at most, beyond idling
  std::uint32_t node_gpus = 0;        ///< of the largest node
  bool nodes_sleep = false;           ///< idle nodes are put to sleep
  std::vector<AllocationJob> jobs{};  ///< by their number, in the order of submission; no pinned
                                      ///< one that runs
  std::optional<Time> ask_again{};
  /// Seconds of completion time that a joule is worth to the allocator: nodes are emptied and sleep
  /// where that saves more than the moves cost.
  double energy_price = 0;

  const GpuType& gpu_type() const { return view.state.cluster().types[type.index]; }
};

/// Decides how many GPUs each job gets, at which clock and batch size, but not which GPUs. A rigid
/// job gets what it asked for or nothing, and no job more than its profile allows; together they
/// get no more than there are.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// Comes before allocate(), for all pools that are allocated at this instant before the first is.
  virtual void look(const AllocationProblem& /*problem*/) {}
  virtual void allocate(AllocationProblem& problem) = 0;
  /// Whether it must be called whenever the allocator of another pool is.
  virtual bool depends_on_others() const { return false; }
};

/// Believed speed with the batch that was asked for, at the highest clock, in as few nodes
/// as possible; nothing where it cannot run.
Speed speed_with(const AllocationJob& job, std::uint32_t gpus, const AllocationProblem& problem);

/// The time a job needs still with the GPUs and the batch it asked for.
Duration time_as_asked(const AllocationJob& job);

}  // namespace penstock
