#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "model/cluster.h"
#include "model/kind_names.h"
#include "model/models.h"
#include "model/trace.h"

namespace penstock {

/// How far the truth may be from what the catalogue says.
struct TruthSpec {
  double spread = 0;      ///< standard deviation of the logarithm of each parameter or entry
  double instrument = 0;  ///< the same of each measurement in a run
  double jobs = 0;        ///< the same of each job's work around what its user says; mean 1
};

/// Gives the jobs of a trace their models: by what the trace calls them, or by a draw that
/// depends on the seed and the job alone. A batch that the trace names counts for the first only:
/// to another model it says nothing. The work of a job is such that with the GPUs and the batch it
/// asked for, in as few nodes as possible and at the highest clock, it really takes the time of the
/// trace: every policy starts from the same truth. Epochs of a table are what users count, so there
/// it takes that time if the table is right. Of a job whose trace knows how it ran, the work is
/// such that running so again takes the same time again.
class Kinds {
 public:
  /// Profiles of GPU types that the cluster does not have are left out.
  Kinds(const std::vector<Profile>& profiles, const Cluster& cluster, const TruthSpec& truth,
        std::uint64_t seed);

  const Models& believed() const { return believed_; }
  const Models& truth() const { return truth_; }
  /// The kinds that are known on a type, in the order of the catalogue.
  const std::vector<KindId>& known_on(GpuTypeId type) const { return known_[type.index]; }
  bool is_named(const std::string& kind) const;

  /// Adds the believed epochs of jobs whose `epochs` is the next number.
  void add_epochs(const Survival& needed) { believed_.add_epochs(needed); }

  /// A job that may run on no type that has models stays rigid.
  void give(TracedJob& traced) const;
  /// For a job whose trace knows how it ran. One that does not say what it trains stays
  /// rigid; another scales between its bounds, with the batch it asked for.
  void give_as_it_ran(TracedJob& traced);

 private:
  std::optional<GpuTypeId> type_for(const Job& job) const;
  KindId add_kind(const Profile& profile);
  std::optional<KindId> named_kind(const Job& job, GpuTypeId type) const;
  KindId drawn_kind(const Job& job, GpuTypeId type) const;
  std::vector<KindId> able_kinds(std::uint32_t gpus, GpuTypeId type) const;
  KindId bounded(KindId kind, const TracedJob& traced);
  std::optional<GpuTypeId> type_of(const RealRun& run, KindId kind) const;
  Speed speed_of(const RealRun& run, const Job& job, GpuTypeId type) const;
  void keep_known_types(Job& job) const;
  double work_factor(JobId job) const;

  Rng rng_;
  Rng job_rng_;      ///< of the jobs
  double jobs_ = 0;  ///< spread of their work
  Models believed_;
  Models truth_;
  KindNames names_;
  std::vector<std::vector<KindId>> known_;  ///< indexed by GpuTypeId
  std::vector<std::uint32_t> node_gpus_;    ///< indexed by GpuTypeId: of the largest node
  std::vector<GpuType> types_;              ///< indexed by GpuTypeId
  /// By kind, fewest and most GPUs, and batch.
  std::map<std::tuple<KindId, std::uint32_t, std::uint32_t, double>, KindId> bounded_;
};

/// The jobs of another source, each with its models; both must outlive it.
class KindSource final : public JobSource {
 public:
  KindSource(std::unique_ptr<JobSource> inner, const Kinds& kinds)
      : inner_(std::move(inner)), kinds_(kinds) {}
  std::optional<TracedJob> next() override {
    auto job = inner_->next();
    if (job) kinds_.give(*job);
    return job;
  }

 private:
  std::unique_ptr<JobSource> inner_;
  const Kinds& kinds_;
};

}  // namespace penstock
