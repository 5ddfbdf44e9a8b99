#pragma once

#include <memory>
#include <set>

#include "base/paged_table.h"
#include "learn/mars/queue_player.h"
#include "learn/mars/snapshot.h"
#include "policies/order/room.h"
#include "policy/policy_table.h"

namespace penstock {

/// How a queue becomes worlds, and where its jobs are placed.
struct QueuePolicyRules {
  PlaceRule place = PlaceRule::first_fit;
  SnapshotRules snapshot{};
  QueueOptions queue{};  ///< all but the origin
};

/// Serves the queue as a player decides. For every pool of GPUs it shows the player a compact world
/// of all jobs that wait, as they are believed to be, and starts those that the player starts there
/// at once. Jobs that may run in several pools are shown in each. Running jobs are never touched.
class QueuePolicy final : public Policy {
 public:
  /// `past` is what jobs were like before the run.
  QueuePolicy(const PolicySetting& setting, const QueuePolicyRules& rules, const PastJobs& past,
              std::unique_ptr<QueuePlayer> player);
  Decision decide(const View& view) override;

 private:
  void on(const JobSubmitted& e, const View& view);
  void on(const JobReady& e, const View& view);
  void on(const JobFinished& e, const View& view);
  void on(const JobInterrupted& e, const View& view);
  void on(const NodeFailed& e, const View& view);
  void on(const NodeRepaired& e, const View& view);
  // Who waits is read from the view.
  void on(const JobArrived& /*e*/, const View& /*view*/) {}
  void on(const JobWithdrawn& /*e*/, const View& /*view*/) {}
  void on(const JobStarted& e, const View& view);
  void on(const JobMeasured& /*e*/, const View& /*view*/) {}
  void on(const Refused& e, const View& view);

  void serve(std::uint32_t pool, const View& view, Decision& decision);
  std::span<const QueueWorld> make_futures(std::uint32_t pool, const View& view,
                                           const SnapshotInputs& inputs);
  void start(const Task& task, std::uint32_t gpus, std::uint32_t pool, const View& view,
             Decision& decision);

  static void explain(const PlayedBy& played, std::size_t first, const View& view,
                      Decision& decision);

  SnapshotRules rules_;
  Room room_;
  std::unique_ptr<QueuePlayer> player_;
  QueueOptions options_;
  PagedTable<std::uint32_t> pools_;  ///< of running jobs, by JobId
  History history_;
  std::set<JobId> held_;             ///< wait for their parents
  std::set<JobId> starting_;         ///< in this decision
  std::vector<Snapshot> snapshots_;  ///< of this decision and pool; one for each future
  std::vector<QueueWorld> futures_;
};

}  // namespace penstock
