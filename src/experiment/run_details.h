#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/observer.h"
#include "io/scenario/scenario.h"
#include "report/files/run_csv.h"

namespace penstock {

/// The result of one job.
struct JobResult {
  std::uint32_t id = 0;  ///< jobs are numbered from 0 in the order of submission
  std::string name{};    ///< as the trace has it; may be empty
  std::string site{};    ///< of its last run
  Outcome outcome = Outcome::completed;
  Time submitted{};
  Time first_start{};
  Time finish{};
  Duration held{};         ///< wall time during which it held GPUs, over all its runs
  std::uint32_t gpus = 0;  ///< asked for
  double gpus_mean = 0;    ///< over the time it held any
  double clock_mean_mhz = 0;
  std::uint32_t preemptions = 0;
  std::uint32_t interruptions = 0;  ///< runs lost to failed nodes
  std::uint32_t resizes = 0;
  std::uint32_t migrations = 0;
  Bill bill{};
  std::optional<Time> deadline{};

  friend bool operator==(const JobResult&, const JobResult&) = default;
};

/// What a policy decided at one instant. Instants at which it did nothing are left out.
struct DecisionRecord {
  Time time{};
  std::uint64_t queued_jobs = 0;   ///< before the actions
  std::uint64_t running_jobs = 0;  ///< before the actions
  std::vector<Action> actions{};
  std::string reason{};
  std::vector<JobReason> because{};
};

/// Which details of a run are kept in memory; none unless asked for.
struct DetailOptions {
  bool jobs = false;
  bool decisions = false;
  std::optional<Duration> timeline_every{};  ///< time between samples; no timeline if absent
};

/// What happened in a run, beside its sums.
struct RunDetails {
  std::vector<JobResult> jobs{};        ///< in the order in which they ended
  std::vector<TimelineRow> timeline{};  ///< one row for each site and instant
  std::vector<DecisionRecord> decisions{};
};

/// One row for each site with its state at `now`.
std::vector<TimelineRow> timeline_rows(Time now, const Scenario& scenario, const State& state,
                                       const Ledger& ledger);

/// Keeps the details that its options ask for.
class DetailRecorder final : public Observer {
 public:
  /// `scenario` must outlive it; the first sample is taken at `origin`.
  DetailRecorder(const DetailOptions& options, const Scenario& scenario, Time origin)
      : options_(options), scenario_(scenario), next_sample_(origin) {}

  void before(const Batch& batch, const State& state, const Ledger& ledger) override;
  void decided(Time now, const Decision& decision, const State& state) override;
  void ended(const JobRecord& record) override;
  RunDetails take() { return std::move(details_); }

 private:
  DetailOptions options_;
  const Scenario& scenario_;
  Time next_sample_;
  RunDetails details_{};
};

}  // namespace penstock
