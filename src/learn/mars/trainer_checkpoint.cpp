#include <fmt/format.h>

#include "learn/mars/trainer.h"
#include "learn/net/training_texts.h"
#include "learn/net/weights_part.h"

namespace penstock {
namespace {

constexpr const char* kKind = "queue-training";
constexpr const char* kProgress = "progress";  ///< members, whether one is trained, its counters
constexpr std::uint64_t kCounters = 4;

Weights stored(const ActorCritic& net) {
  Weights weights;
  net.store(weights);
  return weights;
}

std::string member_prefix(std::size_t member) {
  return fmt::format("member.{}/", member);
}

}  // namespace

std::string Trainer::checkpoint() const {
  Weights all;
  put_training(all, kKind, describe(settings_, grounds_));
  put_curve(all, curve_);
  for (std::size_t i = 0; i < members_.size(); ++i)
    put_part(all, member_prefix(i), stored(members_[i].net));
  std::vector<std::uint64_t> progress{members_.size(), current_ ? 1u : 0u, 0, 0};
  if (current_) {
    progress[2] = current_->update;
    progress[3] = current_->stale;
    put_net_in_training(*current_, all);
  }
  all.tensors[kProgress] = {{kCounters}, std::move(progress)};
  return encode_weights(all);
}

Result<std::vector<Member>> Trainer::load_members(const Weights& weights,
                                                  std::uint64_t count) const {
  if (count > settings_.teachers.size()) return Error{"holds more networks than are asked for"};
  std::vector<Member> members;
  for (std::size_t i = 0; i < count; ++i) {
    auto net = stored_net(weights, member_prefix(i), observer_shape(settings_.kind));
    if (!net) return std::move(net).error().in(name_of(i));
    members.push_back({name_of(i), *std::move(net)});
  }
  return members;
}

Result<Done> Trainer::resume(std::string_view checkpoint) {
  const auto weights = decode_weights(checkpoint);
  if (!weights) return weights.error();
  if (auto same = check_training(*weights, kKind, describe(settings_, grounds_)); !same)
    return same;
  const auto progress = stored_values<std::uint64_t>(*weights, kProgress, {kCounters});
  if (!progress) return progress.error();
  auto members = load_members(*weights, (*progress)[0]);
  if (!members) return std::move(members).error();
  auto curve = stored_curve(*weights);
  if (!curve) return std::move(curve).error();
  std::optional<NetInTraining> current;
  if ((*progress)[1] != 0) {
    auto loaded = stored_net_in_training(*weights, settings_.ppo, observer_shape(settings_.kind));
    if (!loaded) return std::move(loaded).error();
    current = *std::move(loaded);
    current->update = (*progress)[2];
    current->stale = (*progress)[3];
  }
  members_ = *std::move(members);
  current_ = std::move(current);
  curve_ = *std::move(curve);
  return Done{};
}

}  // namespace penstock
