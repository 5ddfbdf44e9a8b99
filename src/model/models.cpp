#include "model/models.h"

namespace penstock {

KindId Models::add_kind() {
  const KindId kind{static_cast<std::uint32_t>(kinds())};
  profiles_.resize(profiles_.size() + types_);
  return kind;
}

void Models::set(KindId kind, GpuTypeId type, Profile profile) {
  profiles_[kind.index * types_ + type.index] = std::move(profile);
  guesses_.erase({kind, type});
  ++version_;
}

void Models::guess(KindId kind, GpuTypeId type, Profile profile) {
  set(kind, type, std::move(profile));
  guesses_.emplace(kind, type);
}

EpochsId Models::add_epochs(Survival needed) {
  epochs_.push_back(std::move(needed));
  return {static_cast<std::uint32_t>(epochs_.size() - 1)};
}

const Profile* Models::find(KindId kind, GpuTypeId type) const {
  const std::size_t at = kind.index * types_ + type.index;
  return at < profiles_.size() && profiles_[at] ? &*profiles_[at] : nullptr;
}

}  // namespace penstock
