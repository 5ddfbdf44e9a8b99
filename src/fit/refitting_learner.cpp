#include "fit/refitting_learner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace penstock {

// Errors of beliefs

namespace {

constexpr std::uint32_t kNodeGpus = 8;
constexpr std::uint32_t kMostGpus = 16;

std::vector<Config> grid_of(const Profile& profile) {
  std::vector<Config> grid;
  for (std::uint32_t gpus = 1; gpus <= profile.epoch_seconds.size(); ++gpus)
    if (runs(profile, {.gpus = gpus})) grid.push_back({.gpus = gpus});
  if (profile.is_front())
    for (const double clock : {0.5, 0.6, 0.7, 0.85, 1.0})
      grid.push_back({.gpus = profile.gpus_most, .clock = clock});
  if (profile.is_table() || profile.is_front()) return grid;
  for (std::uint32_t gpus = 1; gpus <= std::min(profile.gpus_most, kMostGpus); gpus *= 2) {
    const double most = std::min(profile.batch.most, profile.batch.local_most * gpus);
    const double least = std::max(profile.batch.least, 1.0 * gpus);
    if (least > most) continue;
    for (const double batch : {least, std::sqrt(least * most), most})
      for (const double clock : {0.5, 0.6, 0.7, 0.85, 1.0})
        grid.push_back({.gpus = gpus,
                        .nodes = (gpus + kNodeGpus - 1) / kNodeGpus,
                        .batch = batch,
                        .clock = clock});
  }
  return grid;
}

}  // namespace

BeliefError belief_error(const Profile& believed, const Profile& truth) {
  BeliefError sum;
  const std::vector<Config> grid = grid_of(truth);
  for (const Config& config : grid) {
    sum.throughput += std::abs(throughput(believed, config) / throughput(truth, config) - 1);
    sum.draw += std::abs(draw(believed, config) / draw(truth, config) - 1);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(grid.size(), 1));
  return {sum.throughput / count, sum.draw / count};
}

// RefittingLearner

namespace {

constexpr std::size_t kMostWays = 64;
constexpr std::size_t kWaysToKnow = 3;   // a guess is one until so many ways were measured
constexpr double kWorthChanging = 0.01;  // relative, of a prediction
constexpr double kTypicalError = 0.03;   // of a measurement, as fits weigh it

bool same(const Config& a, const Config& b) {
  return a.gpus == b.gpus && a.nodes == b.nodes && a.batch == b.batch && a.clock == b.clock;
}

/// The logarithms of what is predicted or measured.
struct Seen {
  double log_seconds = 0;
  double log_draw = 0;
};

/// Seconds of an iteration, in the parts of `config`, or of an epoch by a table.
double unit_seconds(const Profile& profile, const Config& config) {
  if (profile.is_table()) return 1 / throughput(profile, config);
  return iteration_time(profile.speed, config).total;
}

Seen predicted(const Profile& profile, const Config& config) {
  return {std::log(unit_seconds(profile, config)), std::log(draw(profile, config).value())};
}

/// The work of an iteration, or of an epoch.
double unit_work(const Profile& profile, const Config& config) {
  if (profile.is_table()) return 1;
  return config.batch * efficiency(profile.noise, config.batch);
}

/// A table does not tell batches and clocks apart.
Config told_apart(const Profile& profile, const Config& config) {
  return profile.is_table() ? Config{.gpus = config.gpus} : in_parts(profile, config);
}

double difference(const Seen& a, const Seen& b) {
  return std::max(std::abs(a.log_seconds - b.log_seconds), std::abs(a.log_draw - b.log_draw));
}

}  // namespace

RefittingLearner::RefittingLearner(Models start, const RefittingOptions& options, Rng chance)
    : models_(std::move(start)), options_(options), chance_(chance) {}

void RefittingLearner::observe(const Observation& seen) {
  const Profile* believed = models_.find(seen.kind, seen.type);
  if (believed == nullptr || !(seen.speed > Speed{}) || !(seen.draw > Watts{})) return;
  if (believed->is_table() && !runs(*believed, seen.config)) return;  // no entry to learn about
  if (believed->is_front()) return;  // planned, not fitted: it has no parameters
  Notes& notes = notes_on(seen);
  const Measured& way = note(notes, seen, *believed);
  if (is_due(notes, way, *believed) || is_now_known(notes, seen)) adopt(seen, notes);
}

/// A surprise is learnt from at once, what lies within the error of the instruments when
/// there is an eighth more of it: so the fits grow with the logarithm of the observations.
bool RefittingLearner::is_due(const Notes& notes, const Measured& way,
                              const Profile& believed) const {
  const double off = difference(predicted(believed, way.config), {way.log_seconds, way.log_draw});
  if (off <= kWorthChanging) return false;
  const bool surprises = off > 3 * options_.instrument / std::sqrt(double(way.count));
  // What no model explains would surprise for ever.
  if (surprises && std::has_single_bit(way.count)) return true;
  return notes.since_fit * 8 >= notes.count;
}

bool RefittingLearner::is_now_known(const Notes& notes, const Observation& seen) const {
  const auto entries = static_cast<std::size_t>(
      std::ranges::count_if(notes.start.epoch_seconds, [](double s) { return s > 0; }));
  const std::size_t enough = notes.start.is_table() ? std::min(entries, kWaysToKnow) : kWaysToKnow;
  return notes.ways.size() >= enough && models_.is_guess(seen.kind, seen.type);
}

RefittingLearner::Notes& RefittingLearner::notes_on(const Observation& seen) {
  const auto [at, is_new] = notes_.try_emplace({seen.kind, seen.type});
  if (is_new)
    at->second = {.start = *models_.find(seen.kind, seen.type),
                  .was_guess = models_.is_guess(seen.kind, seen.type)};
  return at->second;
}

const RefittingLearner::Measured& RefittingLearner::note(Notes& notes, const Observation& seen,
                                                         const Profile& believed) {
  const double error = options_.instrument;
  const double work = unit_work(believed, seen.config);
  const double log_seconds = std::log(work / (seen.speed.value() * 1e3)) + chance_.normal(0, error);
  const double log_draw = std::log(seen.draw.value()) + chance_.normal(0, error);
  const Config config = told_apart(believed, seen.config);
  auto way =
      std::ranges::find_if(notes.ways, [&](const Measured& w) { return same(w.config, config); });
  if (way == notes.ways.end()) {
    if (notes.ways.size() == kMostWays) notes.ways.erase(notes.ways.begin());
    notes.ways.push_back({.config = config});
  } else {
    std::rotate(way, way + 1, notes.ways.end());
  }
  ++notes.count;
  ++notes.since_fit;
  Measured& latest = notes.ways.back();
  ++latest.count;
  latest.log_seconds += (log_seconds - latest.log_seconds) / latest.count;
  latest.log_draw += (log_draw - latest.log_draw) / latest.count;
  return latest;
}

Profile RefittingLearner::fitted_table(const Notes& notes, double doubt) const {
  std::vector<TableObservation> times;
  times.reserve(notes.ways.size());
  for (const Measured& way : notes.ways)
    times.push_back({way.config.gpus, way.log_seconds, way.log_draw, way.count});
  return refit_table(notes.start, times, {.doubt = doubt, .error = options_.instrument});
}

Profile RefittingLearner::fitted(const Notes& notes) const {
  const double doubt = notes.was_guess ? options_.doubt_of_guess : options_.doubt;
  if (notes.start.is_table()) return fitted_table(notes, doubt);
  std::vector<SpeedObservation> times;
  std::vector<DrawObservation> draws;
  for (const Measured& way : notes.ways) {
    times.push_back({way.config, std::exp(way.log_seconds)});
    draws.push_back({way.config, Watts(std::exp(way.log_draw))});
  }
  const double weight = kTypicalError * kTypicalError / (doubt * doubt);
  Profile profile = notes.start;
  profile.speed = refit_speed(notes.start.speed, weight, times);
  profile.power = refit_power(notes.start.power, weight, profile.speed, draws);
  return profile;
}

/// Takes over what fits now if that changes what is predicted of any way that was seen.
void RefittingLearner::adopt(const Observation& seen, Notes& notes) {
  ++fits_;
  notes.since_fit = 0;
  Profile profile = fitted(notes);
  const Profile& believed = *models_.find(seen.kind, seen.type);
  const bool changes = std::ranges::any_of(notes.ways, [&](const Measured& way) {
    return difference(predicted(profile, way.config), predicted(believed, way.config)) >
           kWorthChanging;
  });
  if (is_now_known(notes, seen) || (changes && !models_.is_guess(seen.kind, seen.type)))
    models_.set(seen.kind, seen.type, std::move(profile));
  else if (changes)
    models_.guess(seen.kind, seen.type, std::move(profile));
}

}  // namespace penstock
