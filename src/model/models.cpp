#include "model/models.h"

#include <cmath>
#include <initializer_list>

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

namespace {

constexpr double kNextToNothing = 1e-6;  // fitted times end at their bound where there is none

/// The geometric mean of what is more than nothing; 0 if none is.
class GeometricMean {
 public:
  void add(double value) {
    if (value < kNextToNothing) return;
    logs_ += std::log(value);
    ++count_;
  }
  double value() const { return count_ == 0 ? 0 : std::exp(logs_ / count_); }

 private:
  double logs_ = 0;
  int count_ = 0;
};

double geometric_mean(const std::vector<const Profile*>& of, double SpeedModel::* part) {
  GeometricMean mean;
  for (const Profile* profile : of) mean.add(profile->speed.*part);
  return mean.value();
}

Watts geometric_mean(const std::vector<const Profile*>& of, Watts PowerModel::* part) {
  GeometricMean mean;
  for (const Profile* profile : of) mean.add((profile->power.*part).value());
  return Watts(mean.value());
}

double plain_mean(const std::vector<const Profile*>& of, double SpeedModel::* part) {
  double sum = 0;
  for (const Profile* profile : of) sum += profile->speed.*part;
  return sum / static_cast<double>(of.size());
}

/// Every entry that the kind has is the geometric mean of those of the others that have it.
void guess_table(const std::vector<const Profile*>& others, std::vector<double>& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    GeometricMean mean;
    for (const Profile* other : others)
      if (i < other->epoch_seconds.size()) mean.add(other->epoch_seconds[i]);
    if (table[i] > 0 && mean.value() > 0) table[i] = mean.value();
  }
}

Profile guess_by(const std::vector<const Profile*>& others, Profile profile) {
  guess_table(others, profile.epoch_seconds);
  for (const auto part : {&SpeedModel::alpha_c, &SpeedModel::beta_c, &SpeedModel::alpha_r,
                          &SpeedModel::beta_r, &SpeedModel::alpha_n, &SpeedModel::beta_n})
    profile.speed.*part = geometric_mean(others, part);
  for (const auto part : {&SpeedModel::gamma, &SpeedModel::delta})
    profile.speed.*part = plain_mean(others, part);
  for (const auto part : {&PowerModel::p0, &PowerModel::p1, &PowerModel::p3, &PowerModel::p1_sync})
    profile.power.*part = geometric_mean(others, part);
  return profile;
}

}  // namespace

Models guess_from_other_kinds(const Models& known) {
  Models guesses = known;
  for (std::uint32_t t = 0; t < known.types(); ++t) {
    for (std::uint32_t k = 0; k < known.kinds(); ++k) {
      const Profile* own = known.find(KindId{k}, GpuTypeId{t});
      std::vector<const Profile*> others;
      for (std::uint32_t other = 0; other < known.kinds(); ++other)
        if (const Profile* profile = known.find(KindId{other}, GpuTypeId{t});
            profile != nullptr && own != nullptr && other != k &&
            profile->is_table() == own->is_table() && !profile->is_front() && !own->is_front())
          others.push_back(profile);
      if (!others.empty()) guesses.guess(KindId{k}, GpuTypeId{t}, guess_by(others, *own));
    }
  }
  return guesses;
}

}  // namespace penstock
