#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "model/state.h"
#include "policy/policy.h"
#include "policy/recorded_run.h"

namespace penstock {

/// Replays recorded decisions: every job starts, changes and stops when and where it did, or as
/// soon after as there is room, after a while on similar nodes; its last run lasts until its work
/// is done. Differences from the record are then due to the world, not to decisions. Nodes that are
/// alike may replace each other; a job without a record starts when there is room.
std::unique_ptr<Policy> make_recorded(RecordedRuns runs);

/// Which of the cluster's nodes stand for those that a record names.
class RecordedNodes {
 public:
  explicit RecordedNodes(const RecordedRuns& runs);
  struct Wanted {
    const Job& job;
    SiteId at = kNoSite;  ///< where its files are
    const RecordedRun& run;
    std::uint32_t gpus = 1;
  };
  /// Takes the GPUs from `free`: on the nodes that the record names if these have so many, else on
  /// one that has, or on several. Nothing, and nothing taken, while they are not there.
  std::optional<Placement> place(const Wanted& wanted, const State& state, GpuSet& free);

 private:
  struct Name {
    std::string site{};
    std::string node{};
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  std::optional<NodeId> stand_in(const Wanted& wanted, const std::string& node, const State& state);
  std::optional<std::set<NodeId>> as_recorded(const Wanted& wanted, const State& state);

  std::map<Name, std::uint32_t> most_;  ///< GPUs that a run had of a node
  std::map<Name, NodeId> known_;
  std::set<NodeId> taken_;  ///< that replace a recorded node
};

}  // namespace penstock
