#pragma once

#include <cstdint>
#include <map>

#include "policies/elastic/allocator.h"
#include "policies/elastic/curve.h"

namespace penstock {

/// What the nodes of a problem draw besides the jobs on them. Of a node with a table of power that
/// is what it draws unused; that jobs on it draw by the table is not known here, nor to any curve:
/// they are taken for jobs on a node without one. No budget is kept with such nodes (make_elastic).
struct PoolMachines {
  Watts floor{};      ///< whatever happens: all nodes asleep, or idle where none sleeps
  Watts gpu_share{};  ///< on top, for each GPU of all nodes were they awake
};

PoolMachines machines_of(const AllocationProblem& problem);

/// How a job runs that has no curve: as it asked.
Way rigid_way(const AllocationJob& job, const AllocationProblem& problem);

/// What may be other than the user asked for.
struct WayFreedom {
  bool batch = true;   ///< where the models allow it
  bool gpus = true;    ///< where the models know the job
  bool clocks = true;  ///< if not, they are the highest
};

/// The curves along which jobs run in one pool. Those of kinds are kept until the models change.
class PoolCurves {
 public:
  explicit PoolCurves(const WayFreedom& freedom) : freedom_(freedom) {}

  /// Jobs with the same key run along the same curve.
  struct Key {
    KindId kind{};
    Curve::Asked asked{};
    auto operator<=>(const Key&) const = default;
  };
  /// Of a job with a profile.
  Key key_of(const AllocationJob& job) const;

  /// Makes them of what is believed now, those of kinds too that have no job here at present, and
  /// forgets those of single jobs.
  void renew(const AllocationProblem& problem);
  /// Null if the kind is not known here, or no power of two holds any of its batches.
  const Curve* with(const Key& key, const AllocationProblem& problem);
  /// A job that has no curve runs as asked.
  const Curve& of(const AllocationJob& job, const AllocationProblem& problem);

 private:
  CurveContext context(const AllocationProblem& problem) const;

  WayFreedom freedom_;
  std::uint64_t version_ = ~0ull;  ///< of the models the curves were made of
  std::map<Key, Curve> curves_;
  std::map<JobId, Curve> rigid_;
};

}  // namespace penstock
