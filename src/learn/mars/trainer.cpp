#include "learn/mars/trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/check.h"
#include "learn/mars/episode_play.h"
#include "learn/mars/observation.h"
#include "learn/net/cloning.h"
#include "learn/net/ppo.h"
#include "learn/net/training_state.h"
#include "learn/net/weights.h"

namespace penstock {
namespace {

double mean_return_of(std::span<const double> returns) {
  double sum = 0;
  for (const double r : returns) sum += r;
  return sum / static_cast<double>(returns.size());
}

constexpr const char* kCheckpointKind = "queue-training";
constexpr const char* kNoQueue =
    "there is never more than one task to choose from: no queue forms; possible: a smaller "
    "machine, "
    "a higher load or longer episodes";

Weights stored(const ActorCritic& net) {
  Weights weights;
  net.store(weights);
  return weights;
}

std::string member_prefix(std::size_t member) {
  return fmt::format("member.{}/", member);
}

}  // namespace

PpoSettings queue_ppo() {
  return {.entropy = 0.001,
          .policy_rate = 1e-3,
          .value_rate = 1e-3,
          .policy_iterations = 4,
          .value_iterations = 4,
          .minibatch = 512};
}

TrainingDescription describe(const QueueTrainingSettings& settings, const QueueTrainingData& data) {
  TrainingDescription all{
      {"features", std::to_string(kFeatureVersion)},
      {"origin", data.origin},
      {"episodes", fmt::format("{}+{} of {}", data.training.size(), data.validation.size(),
                               data.training.empty() ? 0 : data.training[0].tasks.size())},
      {"gpus", std::to_string(data.rules.gpus)},
      {"window", std::to_string(data.rules.window)},
      {"backfill", data.rules.queue.backfill == Backfill::easy ? "easy" : "none"},
      {"commit", data.rules.queue.commit == Commit::until_event ? "event" : "start"},
      {"teachers", fmt::format("{}", fmt::join(settings.teachers, ","))},
  };
  all.merge(describe_common(settings));
  return all;
}

Result<Done> check_teachers(const std::vector<std::string>& teachers) {
  if (teachers.empty()) return Error{"names no teacher"};
  std::set<std::string_view> named;
  for (const std::string& name : teachers) {
    if (!named.insert(name).second) return Error{fmt::format("names '{}' twice", name)};
    if (name == kNoTeacher || find_task_order(name) != nullptr) continue;
    std::string there(kNoTeacher);
    for (const TaskOrder& order : all_task_orders()) there += fmt::format(" {}", order.name);
    return Error{fmt::format("no teacher '{}'; there are: {}", name, there)};
  }
  return Done{};
}

QueueTrainer::QueueTrainer(QueueTrainingSettings settings, QueueTrainingData data)
    : settings_(std::move(settings)), data_(std::move(data)) {
  PENSTOCK_CHECK(!data_.training.empty() && !data_.validation.empty());
  settings_.ppo.threads = settings_.threads;
  settings_.cloning.threads = settings_.threads;
}

std::string QueueTrainer::name_of(std::size_t member) const {
  const std::string& teacher = settings_.teachers[member];
  return teacher == kNoTeacher ? std::string(kUntaught) : teacher;
}

/// A stream of its own for each network.
Rng QueueTrainer::chance() const {
  return Rng(settings_.seed).stream("training").stream(name_of(members_.size()));
}

Result<Done> QueueTrainer::step() {
  PENSTOCK_CHECK(!finished());
  return progress_.current ? update() : begin_member();
}

Result<Done> QueueTrainer::begin_member() {
  ActorCritic net(observer_shape(settings_.kind), chance().stream("weights"));
  CurvePoint point{.member = members_.size()};
  auto ppo = Result<Ppo>(Ppo(net, settings_.ppo, chance().stream("ppo")));
  if (settings_.teachers[members_.size()] != kNoTeacher) {
    const auto agreed = clone_teacher(net);
    if (!agreed) return agreed.error();
    point.agreement = *agreed;
    ppo = warm_up(net);
  }
  if (!ppo) return std::move(ppo).error();
  NetInTraining current{.ppo = *ppo, .best = ppo->net()};
  if (auto recorded = record_validation(current, point); !recorded) return recorded;
  progress_.curve.push_back(point);
  progress_.current = std::move(current);
  return Done{};
}

/// Returns how often the network then chooses as the teacher on validation episodes.
Result<double> QueueTrainer::clone_teacher(ActorCritic& net) const {
  const TaskOrder* order = find_task_order(settings_.teachers[members_.size()]);
  PENSTOCK_CHECK(order != nullptr);
  const std::span<const Episode> all = data_.training;
  const Demonstrations shown = record_demonstrations(
      *order, all.first(std::min<std::size_t>(settings_.lessons, all.size())), data_.rules);
  if (shown.choices.empty()) return Error{kNoQueue};
  const auto cloned = clone_choices(net, shown, settings_.cloning, chance().stream("lessons"));
  if (!cloned) return cloned.error();
  raise_entropy(net, shown.windows, settings_.softness);
  const Demonstrations unseen = record_demonstrations(*order, data_.validation, data_.rules);
  return unseen.choices.empty() ? CurvePoint::kNotMeasured : agreement(net, unseen);
}

Result<Ppo> QueueTrainer::warm_up(const ActorCritic& net) const {
  return warm_up_critic(net, settings_.ppo, settings_.warm_up, chance(),
                        [&](const Rng& rng, Rollout& record) { return play(net, rng, record); });
}

/// Returns the mean return.
Result<double> QueueTrainer::play(const ActorCritic& net, const Rng& rng, Rollout& record) const {
  Rng which = rng.stream("episodes");
  std::vector<EpisodePlay> plays;
  plays.reserve(settings_.worlds);
  for (std::uint32_t w = 0; w < settings_.worlds; ++w)
    plays.push_back({.episode = &data_.training[which.below(data_.training.size())],
                     .chance = rng.stream("actions").stream(w)});
  const auto returns = play_episodes(net, plays, data_.rules, settings_.threads, &record);
  if (!returns) return returns.error();
  if (record.size() == 0) return Error{kNoQueue};
  return mean_return_of(*returns);
}

Result<double> QueueTrainer::validate(const ActorCritic& net) const {
  std::vector<EpisodePlay> plays;
  plays.reserve(data_.validation.size());
  for (const Episode& episode : data_.validation) plays.push_back({.episode = &episode});
  const auto returns = play_episodes(net, plays, data_.rules, settings_.threads, nullptr);
  if (!returns) return returns.error();
  return mean_return_of(*returns);
}

/// Plays the validation episodes, and keeps the network if it is better than all before.
Result<Done> QueueTrainer::record_validation(NetInTraining& current, CurvePoint& point) const {
  const auto reached = validate(current.ppo.net());
  if (!reached) return reached.error();
  current.record_validation(*reached, point);
  return Done{};
}

Result<Done> QueueTrainer::update() {
  NetInTraining next = *progress_.current;
  if (next.update < settings_.updates) {
    auto point = update_once(next, chance().stream("play").stream(next.update),
                             [&](const ActorCritic& net, const Rng& rng, Rollout& record) {
                               return play(net, rng, record);
                             });
    if (!point) return std::move(point).error();
    point->member = members_.size();
    if (next.update % settings_.validate_every == 0 || next.update == settings_.updates)
      if (auto recorded = record_validation(next, *point); !recorded) return recorded;
    progress_.curve.push_back(*point);
  }
  if (next.update < settings_.updates && next.stale < settings_.patience) {
    progress_.current = std::move(next);
    return Done{};
  }
  members_.push_back({name_of(members_.size()), std::move(next.best)});
  progress_.current.reset();
  return Done{};
}

std::string QueueTrainer::checkpoint() const {
  Weights all;
  put_training(all, kCheckpointKind, describe(settings_, data_));
  for (std::size_t i = 0; i < members_.size(); ++i)
    put_part(all, member_prefix(i), stored(members_[i].net));
  put_progress(all, {members_.size()}, progress_);
  return encode_weights(all);
}

Result<std::vector<NamedNetwork>> QueueTrainer::load_members(const Weights& weights,
                                                             std::uint64_t count) const {
  if (count > settings_.teachers.size()) return Error{"holds more networks than are asked for"};
  std::vector<NamedNetwork> members;
  for (std::size_t i = 0; i < count; ++i) {
    auto net = stored_net(weights, member_prefix(i), observer_shape(settings_.kind));
    if (!net) return std::move(net).error().in(name_of(i));
    members.push_back({name_of(i), *std::move(net)});
  }
  return members;
}

Result<Done> QueueTrainer::resume(std::string_view checkpoint) {
  const auto weights = decode_weights(checkpoint);
  if (!weights) return weights.error();
  if (auto fine = check_training(*weights, kCheckpointKind, describe(settings_, data_)); !fine)
    return fine;
  auto stored = stored_progress(*weights, 1, settings_.ppo, observer_shape(settings_.kind));
  if (!stored) return std::move(stored).error();
  auto members = load_members(*weights, stored->counters[0]);
  if (!members) return std::move(members).error();
  members_ = *std::move(members);
  progress_ = std::move(stored->progress);
  return Done{};
}

}  // namespace penstock
