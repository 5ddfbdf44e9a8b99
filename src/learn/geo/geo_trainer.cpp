#include "learn/geo/geo_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/in_parallel.h"
#include "learn/geo/geo_play.h"
#include "learn/mars/soften.h"
#include "learn/net/warm_up.h"

namespace penstock {
namespace {

/// What a teacher chose, and where there was a choice.
struct Lessons {
  Windows windows;
  std::vector<std::uint32_t> choices{};
};

/// Plays episodes side by side; `make(i)` is the chooser of the i-th.
template <class Make>
Result<std::vector<GeoPlayed>> play_all(const GeoGrounds& grounds, const GeoRules& rules,
                                        std::span<const GeoEpisode* const> episodes,
                                        std::uint32_t threads, const Make& make) {
  std::vector<std::optional<Result<GeoPlayed>>> all(episodes.size());
  in_parallel(episodes.size(), threads, [&](std::size_t i) {
    all[i] = play_geo(grounds.world, *episodes[i], rules, make(i));
  });
  std::vector<GeoPlayed> played;
  for (auto& one : all) {
    if (!*one) return std::move(*one).error();
    played.push_back(*std::move(*one));
  }
  return played;
}

double mean_return(const std::vector<GeoPlayed>& played) {
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

Lessons lessons_of(const std::vector<GeoPlayed>& played, const NetShape& shape) {
  Lessons lessons{.windows = Windows(shape.item_features, shape.global_features)};
  for (const GeoPlayed& one : played)
    for (std::size_t s = 0; s < one.notes.steps.size(); ++s) {
      const Window window = one.notes.windows[s];
      if (std::ranges::count(window.barred, 0) < 2) continue;
      lessons.windows.add(window);
      lessons.choices.push_back(one.notes.steps[s].choice.item);
    }
  return lessons;
}

}  // namespace

GeoTrainer::GeoTrainer(const GeoTrainingSettings& settings, GeoGrounds grounds)
    : settings_(settings), grounds_(std::move(grounds)) {
  settings_.ppo.threads = settings_.threads;
  settings_.cloning.threads = settings_.threads;
  rules_ = {.variant = settings_.variant,
            .weights = grounds_.world.weights,
            .scale = {.kwh = mean_kwh(grounds_.training)},
            .slack = grounds_.world.slack,
            .waiting = settings_.waiting,
            .transfers = settings_.transfers};
}

Result<GeoTrainer> GeoTrainer::make(const GeoTrainingSettings& settings, GeoGrounds grounds) {
  PENSTOCK_CHECK(!grounds.training.empty() && !grounds.validation.empty());
  for (std::vector<GeoEpisode>* episodes : {&grounds.training, &grounds.validation})
    if (auto done = set_scales(grounds.world, *episodes, settings.threads); !done)
      return std::move(done).error();
  return GeoTrainer(settings, std::move(grounds));
}

Result<Done> GeoTrainer::step() {
  PENSTOCK_CHECK(!finished());
  if (!current_) return begin();
  NetInTraining next = *current_;
  CurvePoint point{.update = next.update + 1, .best = next.best_return};
  const NetShape& shape = next.ppo.net().shape();
  Rollout record(shape.item_features, shape.global_features, 0);
  const auto played = play(next.ppo.net(), chance().stream("play").stream(next.update), record);
  if (!played) return played.error();
  const auto learnt = next.ppo.update(record);
  if (!learnt) return learnt.error();
  point.decisions = record.size();
  point.mean_return = *played;
  point.entropy = learnt->entropy;
  point.divergence = learnt->divergence;
  point.explained = learnt->explained;
  ++next.update;
  if (point.update % settings_.validate_every == 0 || point.update == settings_.updates)
    if (auto judged = judge(next, point); !judged) return judged;
  current_ = std::move(next);
  curve_.push_back(point);
  return Done{};
}

Result<Done> GeoTrainer::begin() {
  ActorCritic net(geo_shape(settings_.variant, settings_.kind), chance().stream("weights"));
  CurvePoint point;
  auto ppo = Result<Ppo>(Ppo(net, settings_.ppo, chance().stream("ppo")));
  if (settings_.teacher != GeoTeacher::none) {
    if (auto taught = teach(net, point); !taught) return taught;
    ppo = warm_up(net);
  }
  if (!ppo) return std::move(ppo).error();
  NetInTraining current{.ppo = *ppo, .best = ppo->net()};
  if (auto judged = judge(current, point); !judged) return judged;
  current_ = std::move(current);
  curve_.push_back(point);
  return Done{};
}

Result<Done> GeoTrainer::teach(ActorCritic& net, CurvePoint& point) const {
  const bool waits = settings_.teacher == GeoTeacher::thrifty_wait;
  const auto thrifty = [&](std::size_t) { return std::make_unique<ThriftyChooser>(waits); };
  const auto watched = play_all(grounds_, rules_, first_of(grounds_.training, settings_.lessons),
                                settings_.threads, thrifty);
  if (!watched) return watched.error();
  const Lessons lessons = lessons_of(*watched, net.shape());
  if (lessons.choices.empty()) return Error{"there is never more than one way for a job to go"};
  const auto cloned = clone_choices(net, lessons.windows, lessons.choices, settings_.cloning,
                                    chance().stream("lessons"));
  if (!cloned) return cloned.error();
  soften(net, lessons.windows, settings_.softness);
  const auto unseen =
      play_all(grounds_, rules_, first_of(grounds_.validation, grounds_.validation.size()),
               settings_.threads, thrifty);
  if (!unseen) return unseen.error();
  const Lessons fresh = lessons_of(*unseen, net.shape());
  if (!fresh.choices.empty()) point.agreement = agreement(net, fresh.windows, fresh.choices);
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
    drawn.push_back(&grounds_.training[which.below(grounds_.training.size())]);
  const auto played = play_all(grounds_, rules_, drawn, settings_.threads, [&](std::size_t i) {
    return std::make_unique<NetSiteChooser>(net, rng.stream("actions").stream(i));
  });
  if (!played) return played.error();
  for (const GeoPlayed& one : *played) record.append(rollout_of(one, net, rules_));
  if (record.size() == 0) return Error{"no job had anywhere to go"};
  return mean_return(*played);
}

Result<double> GeoTrainer::validate(const ActorCritic& net) const {
  const auto played = play_all(
      grounds_, rules_, first_of(grounds_.validation, grounds_.validation.size()),
      settings_.threads, [&](std::size_t) { return std::make_unique<NetSiteChooser>(net); });
  if (!played) return played.error();
  return mean_return(*played);
}

/// Plays the validation episodes, and keeps the network if it is better than all before.
Result<Done> GeoTrainer::judge(NetInTraining& current, CurvePoint& point) const {
  const auto reached = validate(current.ppo.net());
  if (!reached) return reached.error();
  if (!std::isfinite(*reached))
    return Error{
        fmt::format("what jobs cost in validation is not finite in update {}", point.update)};
  current.judge(*reached, point);
  return Done{};
}

}  // namespace penstock
