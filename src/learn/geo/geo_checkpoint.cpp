#include "learn/geo/geo_trainer.h"
#include "learn/net/weights_part.h"

namespace penstock {
namespace {

constexpr const char* kKind = "geo-training";
constexpr const char* kProgress = "progress";  ///< whether it has begun, updates, stale validations
constexpr std::uint64_t kCounters = 3;

}  // namespace

std::string GeoTrainer::checkpoint() const {
  Weights all;
  put_training(all, kKind, describe(settings_, grounds_));
  put_curve(all, curve_);
  std::vector<std::uint64_t> progress{current_ ? 1u : 0u, 0, 0};
  if (current_) {
    progress[1] = current_->update;
    progress[2] = current_->stale;
    put_net_in_training(*current_, all);
  }
  all.tensors[kProgress] = {{kCounters}, std::move(progress)};
  return encode_weights(all);
}

Result<Done> GeoTrainer::resume(std::string_view checkpoint) {
  const auto weights = decode_weights(checkpoint);
  if (!weights) return weights.error();
  if (auto same = check_training(*weights, kKind, describe(settings_, grounds_)); !same)
    return same;
  const auto progress = stored_values<std::uint64_t>(*weights, kProgress, {kCounters});
  if (!progress) return progress.error();
  auto curve = stored_curve(*weights);
  if (!curve) return std::move(curve).error();
  const bool begun = (*progress)[0] != 0;
  if (begun == curve->empty()) return Error{"has a curve of another training"};
  std::optional<NetInTraining> current;
  if (begun) {
    auto loaded = stored_net_in_training(*weights, settings_.ppo,
                                         geo_shape(settings_.variant, settings_.kind));
    if (!loaded) return std::move(loaded).error();
    current = *std::move(loaded);
    current->update = (*progress)[1];
    current->stale = (*progress)[2];
  }
  current_ = std::move(current);
  curve_ = *std::move(curve);
  return Done{};
}

}  // namespace penstock
