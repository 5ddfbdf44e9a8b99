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
  /// The same for what nobody has measured yet: worth finding out before it is relied on.
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

}  // namespace penstock
