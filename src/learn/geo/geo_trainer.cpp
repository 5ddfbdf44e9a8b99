#include "learn/geo/geo_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/in_parallel.h"
#include "learn/geo/geo_episode.h"
#include "learn/net/cloning.h"
#include "learn/net/ppo.h"
#include "learn/net/weights.h"

namespace penstock {
namespace {

std::string_view teacher_name(GeoTeacher teacher) {
  return std::ranges::find(geo_teachers(), teacher, &NamedGeoTeacher::teacher)->name;
}

std::string site_policy_text(const GeoWorld& world) {
  std::string text = world.site_policy;
  for (const auto& [name, value] : world.site_options) text += fmt::format(":{}={}", name, value);
  return text;
}

/// Plays episodes side by side; `make(i)` is the chooser of the i-th.
template <class Make>
Result<std::vector<GeoPlayed>> play_geo_episodes(const GeoTrainingData& data, const GeoRules& rules,
                                                 std::span<const GeoEpisode* const> episodes,
                                                 std::uint32_t threads, const Make& make) {
  std::vector<std::optional<Result<GeoPlayed>>> all(episodes.size());
  in_parallel(episodes.size(), threads,
              [&](std::size_t i) { all[i] = play_geo(data.world, *episodes[i], rules, make(i)); });
  std::vector<GeoPlayed> played;
  for (auto& one : all) {
    if (!*one) return std::move(*one).error();
    played.push_back(*std::move(*one));
  }
  return played;
}

double mean_job_return(const std::vector<GeoPlayed>& played) {
  double sum = 0;
  for (const GeoPlayed& one : played) sum += one.mean_return;
  return sum / static_cast<double>(played.size());
}

double mean_kwh(const std::vector<GeoEpisode>& episodes) {
  double sum = 0;
  for (const GeoEpisode& episode : episodes) sum += episode.scale.kwh;
  return sum / static_cast<double>(episodes.size());
}

std::vector<const GeoEpisode*> first_of(const std::vector<GeoEpisode>& episodes,
                                        std::size_t count) {
  std::vector<const GeoEpisode*> some;
  for (std::size_t i = 0; i < std::min(count, episodes.size()); ++i) some.push_back(&episodes[i]);
  return some;
}

/// What was chosen where there was a choice.
Demonstrations demonstrations_of(const std::vector<GeoPlayed>& played, const NetShape& shape) {
  Demonstrations shown{.windows = Windows(shape.item_features, shape.global_features)};
  for (const GeoPlayed& one : played)
    for (std::size_t s = 0; s < one.log.steps.size(); ++s) {
      const Window window = one.log.windows[s];
      if (std::ranges::count(window.barred, 0) < 2) continue;
      shown.windows.add(window);
      shown.choices.push_back(one.log.steps[s].choice.item);
    }
  return shown;
}

constexpr const char* kGeoCheckpointKind = "geo-training";

}  // namespace

PpoSettings mappo_settings() {
  return {.gamma = 1,
          .lambda = 0.95,
          .clip = 0.2,
          .entropy = 0.01,
          .policy_rate = 5e-4,
          .value_rate = 5e-4,
          .policy_iterations = 10,
          .value_iterations = 10,
          .target_divergence = 0.02,
          .longest_gradient = 10,
          .value_loss = ValueLoss::huber,
          .scale_values = true,
          .minibatch = 1024};
}

std::span<const NamedGeoTeacher> geo_teachers() {
  static constexpr auto kAll = std::to_array<NamedGeoTeacher>({
      {"thrifty", GeoTeacher::thrifty},
      {"thrifty-wait", GeoTeacher::thrifty_wait},
      {"none", GeoTeacher::none},
  });
  return kAll;
}

TrainingDescription describe(const GeoTrainingSettings& settings, const GeoTrainingData& data) {
  const UtilityWeights& weights = data.world.weights;
  const std::size_t jobs = data.training.empty() ? 0 : data.training[0].jobs.size();
  TrainingDescription all{
      {"features", std::to_string(kGeoFeatureVersion)},
      {"origin", data.origin},
      {"policy", std::string(settings.variant.name)},
      {"critic", settings.variant.joint_critic ? "joint" : "local"},
      {"waiting", settings.waiting ? "allowed" : "barred"},
      {"transfers", settings.transfers ? "known" : "not known"},
      {"episodes", fmt::format("{}+{} of {}", data.training.size(), data.validation.size(), jobs)},
      {"site", site_policy_text(data.world)},
      {"slack", fmt::format("{}", data.world.slack)},
      {"utility", fmt::format("{} {} {} {} {}", weights.utilization, weights.cost, weights.carbon,
                              weights.transfer, weights.late)},
      {"teacher", std::string(teacher_name(settings.teacher))},
  };
  all.merge(describe_common(settings));
  return all;
}

GeoTrainer::GeoTrainer(const GeoTrainingSettings& settings, GeoTrainingData data)
    : settings_(settings), data_(std::move(data)) {
  settings_.ppo.threads = settings_.threads;
  settings_.cloning.threads = settings_.threads;
  rules_ = {.variant = settings_.variant,
            .weights = data_.world.weights,
            .scale = {.kwh = mean_kwh(data_.training)},
            .slack = data_.world.slack,
            .waiting = settings_.waiting,
            .transfers = settings_.transfers};
}

Result<GeoTrainer> GeoTrainer::make(const GeoTrainingSettings& settings, GeoTrainingData data) {
  PENSTOCK_CHECK(!data.training.empty() && !data.validation.empty());
  for (std::vector<GeoEpisode>* episodes : {&data.training, &data.validation})
    if (auto done = set_scales(data.world, *episodes, settings.threads); !done)
      return std::move(done).error();
  return GeoTrainer(settings, std::move(data));
}

Result<Done> GeoTrainer::step() {
  PENSTOCK_CHECK(!finished());
  if (!progress_.current) return begin();
  NetInTraining next = *progress_.current;
  auto point = update_once(next, chance().stream("play").stream(next.update),
                           [&](const ActorCritic& net, const Rng& rng, Rollout& record) {
                             return play(net, rng, record);
                           });
  if (!point) return std::move(point).error();
  if (next.update % settings_.validate_every == 0 || next.update == settings_.updates)
    if (auto recorded = record_validation(next, *point); !recorded) return recorded;
  progress_.current = std::move(next);
  progress_.curve.push_back(*point);
  return Done{};
}

Result<Done> GeoTrainer::begin() {
  ActorCritic net(geo_shape(settings_.variant, settings_.kind), chance().stream("weights"));
  CurvePoint point;
  auto ppo = Result<Ppo>(Ppo(net, settings_.ppo, chance().stream("ppo")));
  if (settings_.teacher != GeoTeacher::none) {
    if (auto cloned = clone_teacher(net, point); !cloned) return cloned;
    ppo = warm_up(net);
  }
  if (!ppo) return std::move(ppo).error();
  NetInTraining current{.ppo = *ppo, .best = ppo->net()};
  if (auto recorded = record_validation(current, point); !recorded) return recorded;
  progress_.current = std::move(current);
  progress_.curve.push_back(point);
  return Done{};
}

Result<Done> GeoTrainer::clone_teacher(ActorCritic& net, CurvePoint& point) const {
  const bool waits = settings_.teacher == GeoTeacher::thrifty_wait;
  const auto thrifty = [&](std::size_t) { return std::make_unique<ThriftyChooser>(waits); };
  const auto watched = play_geo_episodes(data_, rules_, first_of(data_.training, settings_.lessons),
                                         settings_.threads, thrifty);
  if (!watched) return watched.error();
  const Demonstrations shown = demonstrations_of(*watched, net.shape());
  if (shown.choices.empty()) return Error{"there is never more than one way for a job to go"};
  const auto cloned = clone_choices(net, shown, settings_.cloning, chance().stream("lessons"));
  if (!cloned) return cloned.error();
  raise_entropy(net, shown.windows, settings_.softness);
  const auto unseen =
      play_geo_episodes(data_, rules_, first_of(data_.validation, data_.validation.size()),
                        settings_.threads, thrifty);
  if (!unseen) return unseen.error();
  const Demonstrations fresh = demonstrations_of(*unseen, net.shape());
  if (!fresh.choices.empty()) point.agreement = agreement(net, fresh);
  return Done{};
}

Result<Ppo> GeoTrainer::warm_up(const ActorCritic& net) const {
  return warm_up_critic(net, settings_.ppo, settings_.warm_up, chance(),
                        [&](const Rng& rng, Rollout& record) { return play(net, rng, record); });
}

/// Returns the mean return of a job.
Result<double> GeoTrainer::play(const ActorCritic& net, const Rng& rng, Rollout& record) const {
  Rng which = rng.stream("episodes");
  std::vector<const GeoEpisode*> drawn;
  drawn.reserve(settings_.worlds);
  for (std::uint32_t w = 0; w < settings_.worlds; ++w)
    drawn.push_back(&data_.training[which.below(data_.training.size())]);
  const auto played =
      play_geo_episodes(data_, rules_, drawn, settings_.threads, [&](std::size_t i) {
        return std::make_unique<NetSiteChooser>(net, rng.stream("actions").stream(i));
      });
  if (!played) return played.error();
  for (const GeoPlayed& one : *played) record.append(rollout_of(one, net, rules_));
  if (record.size() == 0) return Error{"no job had anywhere to go"};
  return mean_job_return(*played);
}

Result<double> GeoTrainer::validate(const ActorCritic& net) const {
  const auto played = play_geo_episodes(
      data_, rules_, first_of(data_.validation, data_.validation.size()), settings_.threads,
      [&](std::size_t) { return std::make_unique<NetSiteChooser>(net); });
  if (!played) return played.error();
  return mean_job_return(*played);
}

/// Plays the validation episodes, and keeps the network if it is better than all before.
Result<Done> GeoTrainer::record_validation(NetInTraining& current, CurvePoint& point) const {
  const auto reached = validate(current.ppo.net());
  if (!reached) return reached.error();
  if (!std::isfinite(*reached))
    return Error{
        fmt::format("what jobs cost in validation is not finite in update {}", point.update)};
  current.record_validation(*reached, point);
  return Done{};
}

std::string GeoTrainer::checkpoint() const {
  Weights all;
  put_training(all, kGeoCheckpointKind, describe(settings_, data_));
  put_progress(all, {}, progress_);
  return encode_weights(all);
}

Result<Done> GeoTrainer::resume(std::string_view checkpoint) {
  const auto weights = decode_weights(checkpoint);
  if (!weights) return weights.error();
  if (auto fine = check_training(*weights, kGeoCheckpointKind, describe(settings_, data_)); !fine)
    return fine;
  auto stored =
      stored_progress(*weights, 0, settings_.ppo, geo_shape(settings_.variant, settings_.kind));
  if (!stored) return std::move(stored).error();
  if (stored->progress.current.has_value() == stored->progress.curve.empty())
    return Error{"has a curve of another training"};
  progress_ = std::move(stored->progress);
  return Done{};
}

}  // namespace penstock
