#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/survival.h"
#include "model/job.h"
#include "model/profile.h"

namespace penstock {

/// How every kind of training behaves on every GPU type: as believed, for policies, or as
/// it is, for worlds. A job's `kind_id` is its row; jobs without one run rigid.
class Models {
 public:
  Models() = default;
  explicit Models(std::size_t types) : types_(types) {}

  /// Adds a row that has no profile yet.
  KindId add_kind();
  void set(KindId kind, GpuTypeId type, Profile profile);
  /// Sets a profile that nobody has measured yet: is_guess() is true until set() is called.
  void guess(KindId kind, GpuTypeId type, Profile profile);
  std::size_t types() const { return types_; }
  std::size_t kinds() const { return types_ == 0 ? 0 : profiles_.size() / types_; }

  /// Nothing for a job without a kind, or a kind not known on that type.
  const Profile* find(const Job& job, GpuTypeId type) const {
    return job.kind_id ? find(*job.kind_id, type) : nullptr;
  }
  const Profile* find(KindId kind, GpuTypeId type) const;
  bool is_guess(KindId kind, GpuTypeId type) const { return guesses_.contains({kind, type}); }

  /// How much of its stated work a job may need, as parts of it: most() is 1.
  EpochsId add_epochs(Survival needed);
  const Survival& epochs(EpochsId id) const { return epochs_[id.index]; }

  /// Counts the changes, so that what was derived from the models can be kept until then.
  std::uint64_t version() const { return version_; }

 private:
  std::size_t types_ = 0;
  std::vector<std::optional<Profile>> profiles_;  ///< by kind, then by type
  std::set<std::pair<KindId, GpuTypeId>> guesses_;
  std::vector<Survival> epochs_;
  std::uint64_t version_ = 0;
};

/// Guesses each kind from all others on its GPU type, as if it had never been measured. Times and
/// draws are geometric means, without values near zero; the overlap and the part that no clock
/// slows down are arithmetic means. Batches and the most GPUs are what its user declares, and stay.
/// Tables are guessed from tables, formulas from formulas; a kind without others stays as it is.
Models guess_from_other_kinds(const Models& known);

/// The speed and the draw of a job that were measured over a while.
struct Observation {
  KindId kind{};
  GpuTypeId type{};
  Config config{};
  Duration over{};  ///< how long it was watched
  Speed speed{};
  Watts draw{};  ///< of all its GPUs
};

/// A profile as it was believed at the beginning, and as it turned out to be.
struct LearntProfile {
  Profile was{};
  Profile is{};
};

/// Holds the models that policies use, and may refine them by measurements.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual const Models& models() const = 0;
  virtual void observe(const Observation& seen) = 0;
};

/// Models that no observation changes.
class FixedModels final : public Learner {
 public:
  explicit FixedModels(Models models) : models_(std::move(models)) {}
  const Models& models() const override { return models_; }
  void observe(const Observation& /*seen*/) override {}

 private:
  Models models_;
};

}  // namespace penstock
