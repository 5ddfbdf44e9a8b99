#include "learn/mars/trainer.h"

#include "base/check.h"
#include "learn/mars/side_by_side.h"
#include "learn/mars/soften.h"
#include "learn/mars/teacher.h"
#include "learn/net/warm_up.h"

namespace penstock {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

}  // namespace

Trainer::Trainer(TrainingSettings settings, Grounds grounds)
    : settings_(std::move(settings)), grounds_(std::move(grounds)) {
  PENSTOCK_CHECK(!grounds_.training.empty() && !grounds_.validation.empty());
  settings_.ppo.threads = settings_.threads;
  settings_.cloning.threads = settings_.threads;
}

std::string Trainer::name_of(std::size_t member) const {
  const std::string& teacher = settings_.teachers[member];
  return teacher == kNoTeacher ? std::string(kUntaught) : teacher;
}

/// A stream of its own for each network.
Rng Trainer::chance() const {
  return Rng(settings_.seed).stream("training").stream(name_of(members_.size()));
}

Result<Done> Trainer::step() {
  PENSTOCK_CHECK(!finished());
  return current_ ? update() : begin_member();
}

Result<Done> Trainer::begin_member() {
  ActorCritic net(observer_shape(settings_.kind), chance().stream("weights"));
  CurvePoint point{.member = members_.size()};
  auto ppo = Result<Ppo>(Ppo(net, settings_.ppo, chance().stream("ppo")));
  if (settings_.teachers[members_.size()] != kNoTeacher) {
    const auto agreed = teach(net);
    if (!agreed) return agreed.error();
    point.agreement = *agreed;
    ppo = warm_up(net);
  }
  if (!ppo) return std::move(ppo).error();
  NetInTraining current{.ppo = *ppo, .best = ppo->net()};
  if (auto judged = judge(current, point); !judged) return judged;
  curve_.push_back(point);
  current_ = std::move(current);
  return Done{};
}

/// Returns how often it chooses as the teacher does, where it has not been taught.
Result<double> Trainer::teach(ActorCritic& net) const {
  const TaskOrder* order = find_task_order(settings_.teachers[members_.size()]);
  PENSTOCK_CHECK(order != nullptr);
  const std::span<const Contest> all = grounds_.training;
  const Lessons lessons = watch(
      *order, all.first(std::min<std::size_t>(settings_.lessons, all.size())), grounds_.rules);
  if (lessons.choices.empty())
    return Error{
        "there is never more than one task to choose from: no queue forms; possible: a "
        "smaller machine, a higher load or longer episodes"};
  const auto cloned = clone_choices(net, lessons.windows, lessons.choices, settings_.cloning,
                                    chance().stream("lessons"));
  if (!cloned) return cloned.error();
  soften(net, lessons.windows, settings_.softness);
  const Lessons unseen = watch(*order, grounds_.validation, grounds_.rules);
  return unseen.choices.empty() ? CurvePoint::kNotMeasured
                                : agreement(net, unseen.windows, unseen.choices);
}

Result<Ppo> Trainer::warm_up(const ActorCritic& net) const {
  return warm_up_critic(net, settings_.ppo, settings_.warm_up, chance(),
                        [&](const Rng& rng, Rollout& record) { return play(net, rng, record); });
}

/// Returns the mean return.
Result<double> Trainer::play(const ActorCritic& net, const Rng& rng, Rollout& record) const {
  Rng which = rng.stream("episodes");
  std::vector<Seat> seats;
  seats.reserve(settings_.worlds);
  for (std::uint32_t w = 0; w < settings_.worlds; ++w)
    seats.push_back({.contest = &grounds_.training[which.below(grounds_.training.size())],
                     .chance = rng.stream("actions").stream(w)});
  const auto returns = play_all(net, seats, grounds_.rules, settings_.threads, &record);
  if (!returns) return returns.error();
  if (record.size() == 0)
    return Error{
        "there is never more than one task to choose from: no queue forms; possible: a "
        "smaller machine, a higher load or longer episodes"};
  return mean_of(*returns);
}

Result<double> Trainer::validate(const ActorCritic& net) const {
  std::vector<Seat> seats;
  seats.reserve(grounds_.validation.size());
  for (const Contest& contest : grounds_.validation) seats.push_back({.contest = &contest});
  const auto returns = play_all(net, seats, grounds_.rules, settings_.threads, nullptr);
  if (!returns) return returns.error();
  return mean_of(*returns);
}

/// Plays the validation episodes, and keeps the network if it is better than all before.
Result<Done> Trainer::judge(NetInTraining& current, CurvePoint& point) const {
  const auto reached = validate(current.ppo.net());
  if (!reached) return reached.error();
  current.judge(*reached, point);
  return Done{};
}

Result<Done> Trainer::update() {
  NetInTraining next = *current_;
  CurvePoint point{.member = members_.size(), .update = next.update + 1};
  if (next.update < settings_.updates) {
    const NetShape& shape = next.ppo.net().shape();
    Rollout record(shape.item_features, shape.global_features, 0);
    const auto played = play(next.ppo.net(), chance().stream("play").stream(next.update), record);
    if (!played) return played.error();
    const auto learnt = next.ppo.update(record);
    if (!learnt) return learnt.error();
    ++next.update;
    point.decisions = record.size();
    point.mean_return = *played;
    point.entropy = learnt->entropy;
    point.divergence = learnt->divergence;
    point.explained = learnt->explained;
    point.best = next.best_return;
    if (next.update % settings_.validate_every == 0 || next.update == settings_.updates)
      if (auto judged = judge(next, point); !judged) return judged;
    curve_.push_back(point);
  }
  current_ = std::move(next);
  if (current_->update < settings_.updates && current_->stale < settings_.patience) return Done{};
  members_.push_back({name_of(members_.size()), current_->best});
  current_.reset();
  return Done{};
}

}  // namespace penstock
