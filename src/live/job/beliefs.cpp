#include "live/job/beliefs.h"

#include <algorithm>

#include "base/text.h"
#include "fit/refitting_learner.h"

namespace penstock {
namespace {

/// Nobody knows whether a script accumulates gradients; one that does not would run out of memory.
Profile without_accumulation(Profile profile) {
  profile.batch.accumulates = false;
  return profile;
}

/// What the user allows of a profile.
Profile restricted(Profile profile, const KindRequest& request) {
  profile.gpus_least = request.least;
  profile.gpus_most = std::min(profile.gpus_most, request.most);
  if (profile.is_table() && profile.epoch_seconds.size() > request.most)
    profile.epoch_seconds.resize(request.most);
  if (profile.is_table() && profile.epoch_seconds.empty()) profile.epoch_seconds.resize(1, 0);
  if (request.batch > 0) profile.batch.least = profile.batch.most = request.batch;
  return profile;
}

}  // namespace

LiveBeliefs::LiveBeliefs(std::span<const Profile> profiles, const Cluster& cluster, bool refit)
    : types_(cluster.types.size()), models_(cluster.types.size()), start_(cluster.types.size()) {
  Models catalogue(types_);
  for (const Profile& profile : profiles) {
    const auto type = std::ranges::find(cluster.types, profile.gpu, &GpuType::name);
    // An agent sets one clock for all GPUs of a job; a front needs a plan of its own for each.
    if (type == cluster.types.end() || profile.is_front()) continue;
    const GpuTypeId type_id{static_cast<std::uint32_t>(type - cluster.types.begin())};
    const auto named = names_.find(profile.name);
    const KindId kind = named ? *named : catalogue.add_kind();
    if (!named) start_.add_kind();
    names_.add(profile, kind);
    start_.set(kind, type_id, profile);
    catalogue.set(kind, type_id, without_accumulation(profile));
  }
  if (refit)
    inner_ = std::make_unique<RefittingLearner>(std::move(catalogue), RefittingOptions{}, Rng(0));
  else
    inner_ = std::make_unique<FixedModels>(std::move(catalogue));
}

double LiveBeliefs::usual_batch(const std::string& profile, std::uint32_t gpus) const {
  const auto named = names_.find(profile);
  if (!named) return 0;
  for (std::uint32_t type = 0; type < types_; ++type)
    if (const Profile* known = inner_->models().find(*named, GpuTypeId{type}))
      return asked_batch(*known, 0, gpus);
  return 0;
}

std::optional<KindId> LiveBeliefs::row(KindRequest request) {
  const auto named = names_.find(request.profile);
  if (!named) return std::nullopt;
  request.profile = lower_case(request.profile);
  const auto known = known_.find(request);
  if (known != known_.end()) return known->second;
  const KindId row = models_.add_kind();
  rows_.push_back({*named, request});
  known_.emplace(request, row);
  fill(row);
  return row;
}

void LiveBeliefs::fill(KindId row) {
  const Row& about = rows_[row.index];
  for (std::uint32_t type = 0; type < types_; ++type)
    if (const Profile* believed = inner_->models().find(about.kind, GpuTypeId{type}))
      models_.set(row, GpuTypeId{type}, restricted(*believed, about.request));
}

void LiveBeliefs::observe(const Observation& seen) {
  Observation inside = seen;
  inside.kind = rows_[seen.kind.index].kind;
  const std::uint64_t before = inner_->models().version();
  inner_->observe(inside);
  if (inner_->models().version() == before) return;
  ++fits_;
  learnt_.emplace(inside.kind, inside.type);
  for (std::uint32_t row = 0; row < rows_.size(); ++row)
    if (rows_[row].kind == inside.kind) fill(KindId{row});
}

std::vector<LearntProfile> LiveBeliefs::learnt() const {
  std::vector<LearntProfile> all;
  all.reserve(learnt_.size());
  for (const auto& [kind, type] : learnt_) {
    all.push_back({*start_.find(kind, type), *inner_->models().find(kind, type)});
    all.back().is.batch = all.back().was.batch;  // as the catalogue has it
  }
  return all;
}

}  // namespace penstock
