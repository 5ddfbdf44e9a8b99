#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "model/cluster.h"
#include "model/kind_names.h"
#include "model/models.h"

namespace penstock {

/// The bounds within which a user lets a training run.
struct KindRequest {
  std::string profile{};
  std::uint32_t least = 1;  ///< GPUs
  std::uint32_t most = 1;
  double batch = 0;  ///< over all GPUs, fixed; 0: any that the profile allows
  friend auto operator<=>(const KindRequest&, const KindRequest&) = default;
};

/// The believed models of the kinds that users name: one row for each request, added when it is
/// first asked for. What is measured of one row counts for all rows of the same profile.
class LiveBeliefs final : public Learner {
 public:
  LiveBeliefs(std::span<const Profile> profiles, const Cluster& cluster, bool refit);

  /// Nothing if no such profile is known for a type of the cluster.
  std::optional<KindId> row(KindRequest request);
  /// What is usual on each of so many GPUs, over all of them; see asked_batch().
  double usual_batch(const std::string& profile, std::uint32_t gpus) const;
  std::vector<std::string> names() const { return names_.all(); }

  const Models& models() const override { return models_; }
  void observe(const Observation& seen) override;

  /// The profiles whose models have changed since the start.
  std::vector<LearntProfile> learnt() const;
  std::uint64_t fits() const { return fits_; }  ///< how often a model has changed

 private:
  struct Row {
    KindId kind{};  ///< of the profile, in `inner_`
    KindRequest request{};
  };
  void fill(KindId row);

  std::size_t types_;
  KindNames names_;
  std::unique_ptr<Learner> inner_;  ///< one row for each profile
  Models models_;
  std::vector<Row> rows_;  ///< indexed by KindId of `models_`
  std::map<KindRequest, KindId> known_;
  Models start_;  ///< as in the catalogue; one row for each profile
  std::set<std::pair<KindId, GpuTypeId>> learnt_;  ///< of `inner_`
  std::uint64_t fits_ = 0;
};

}  // namespace penstock
