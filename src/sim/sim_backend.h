#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "base/paged_table.h"
#include "base/rng.h"
#include "engine/backend.h"
#include "model/costs.h"
#include "model/models.h"
#include "model/trace.h"

namespace penstock {

struct SimOptions {
  OverRequest over_request = OverRequest::kill;
  std::optional<Failures> failures{};
  std::vector<Outage> outages{};
  Duration outage_checkpoint{};  ///< like Failures::checkpoint, without random failures
  std::uint64_t seed = 0;
  Time start{};
  const Models* models = nullptr;  ///< how jobs really scale; must outlive the world
};

/// The simulated world. It jumps from event to event, and knows the true run times and draws of
/// jobs and when nodes fail.
class SimBackend final : public Backend {
 public:
  /// `source` and `cluster` must outlive the world.
  SimBackend(JobSource& source, const Cluster& cluster, const SimOptions& options);

  bool wait(std::optional<Time> until, Batch& batch) override;
  void execute(const Action& action, const State& state) override;
  Pace pace(const JobState& job) const override;

 private:
  enum class Kind : std::uint8_t { finish, failure, repair, arrival, outage, restored };
  struct Entry {
    Time when{};
    std::uint64_t order = 0;
    Kind kind = Kind::finish;
    std::uint32_t id = 0;                       ///< of a job, a node or an outage
    std::uint32_t run = 0;                      ///< of a job: which of its runs would finish
    bool operator<(const Entry& other) const {  // priority_queue keeps the largest on top
      return std::pair(when, order) > std::pair(other.when, other.order);
    }
  };
  /// What the world knows of a job that has not ended.
  struct Truth {
    Work left{};           ///< still to do at `work_begins`
    Work left_at_start{};  ///< when the present run began
    Work left_saved{};     ///< at the last checkpoint before the clock or batch was changed
    Speed speed{};
    Outcome outcome = Outcome::completed;
    double load = 1;
    std::uint32_t run = 0;
    bool running = false;
    Time work_begins{};
    Time run_begins{};  ///< the same before any change of clock or batch: checkpoints count from it
    std::uint32_t parents_left = 0;
    std::vector<std::uint32_t> children{};
    std::vector<std::uint32_t> nodes{};  ///< while running, if nodes can fail
  };

  void on(const Start& a, const State& state);
  void on(const Preempt& a, const State& state);
  void on(const Resize& a, const State& state);
  void on(const Migrate& a, const State& state);
  void on(const SetClock& a, const State& state);
  void on(const SetBatch& a, const State& state);
  void on(const Route& a, const State& state);
  void on(const Sleep& /*a*/, const State& /*state*/) {}
  void on(const Wake& /*a*/, const State& /*state*/) {}

  void add(Time when, Kind kind, std::uint32_t id, std::uint32_t run);
  void drop_stale();
  bool nothing_can_happen(bool asked) const;
  void read_next_job();
  void submit(Batch& batch);
  void finish(std::uint32_t id, Batch& batch);
  void apply_entry(const Entry& entry, Batch& batch);
  void fail(std::uint32_t node, Batch& batch);
  void repair(std::uint32_t node, Batch& batch);
  bool nodes_break() const { return !down_causes_.empty(); }
  /// Counts the reasons for which a node is down: it fails with the first, and is repaired when
  /// none is left.
  void add_down_cause(std::uint32_t node, Batch& batch);
  void remove_down_cause(std::uint32_t node, Batch& batch);
  void begin_run(const JobState& job, Truth& truth);
  void stop(std::uint32_t id, Truth& truth);
  void change_speed(const JobState& job);
  void count_work(Truth& truth) const;
  void update_checkpoint(Truth& truth) const;
  Work worked(const Truth& truth, Duration part) const;
  Speed speed_of(const JobState& job) const;

  JobSource& source_;
  const Cluster& cluster_;
  SimOptions options_;
  Time now_;
  std::optional<TracedJob> next_;  ///< the next job to be submitted
  std::priority_queue<Entry> entries_;
  std::uint64_t added_ = 0;
  PagedTable<Truth> truths_;
  std::size_t running_ = 0;
  std::size_t moving_ = 0;
  std::size_t down_ = 0;
  std::vector<std::uint32_t> down_causes_;           ///< indexed by NodeId, if nodes can fail
  std::vector<Rng> failure_rngs_;                    ///< indexed by NodeId
  std::vector<std::vector<std::uint32_t>> jobs_on_;  ///< indexed by NodeId, if nodes can fail
};

}  // namespace penstock
