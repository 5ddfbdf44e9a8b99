#include "learn/mars/episode_play.h"

#include <algorithm>

#include "base/check.h"
#include "base/in_parallel.h"
#include "learn/mars/ensemble.h"
#include "learn/mars/observation.h"

namespace penstock {
namespace {

void add_demonstration(const TaskObserver& observer, const Window& window, std::uint32_t choice,
                       Demonstrations& demonstrations) {
  const auto seen = observer.tasks();
  const auto at = std::ranges::find(seen, choice);
  if (at == seen.end()) return;
  demonstrations.windows.add(window);
  demonstrations.choices.push_back(static_cast<std::uint32_t>(at - seen.begin()));
}

}  // namespace

void Teacher::begin(const TaskSequence& tasks, Time origin) {
  tasks_ = &tasks;
  if (!order_->ages()) rank_tasks(*order_, tasks, origin, places_);
}

std::uint32_t Teacher::choose(const QueueWorld& world) const {
  PENSTOCK_CHECK(!world.ready().empty());
  const auto score = [&](std::uint32_t task) -> double {
    if (!order_->ages()) return places_[task];
    const TaskSequence::Brief& brief = tasks_->brief(task);
    return order_->shared->aged(seconds(world.now() - brief.submitted) / brief.length, brief.gpus);
  };
  return *std::ranges::min_element(world.ready(), {}, score);
}

Demonstrations record_demonstrations(const TaskOrder& order, std::span<const Episode> episodes,
                                     const PlayRules& rules) {
  const NetShape shape = observer_shape(ActorKind::kernel);
  Demonstrations demonstrations{Windows(shape.item_features, shape.global_features)};
  Teacher teacher(order);
  TaskObserver observer(rules.window);
  for (const Episode& episode : episodes) {
    const TaskSequence& tasks = episode.tasks;
    QueueWorld world = world_for(tasks, rules);
    world.reset(tasks);
    teacher.begin(tasks, origin_of(tasks));
    observer.begin(tasks, origin_of(tasks));
    while (world.needs_choice()) {
      const std::uint32_t choice = teacher.choose(world);
      if (world.ready().size() > 1)
        add_demonstration(observer, observer.look(world), choice, demonstrations);
      world.choose(choice);
    }
  }
  return demonstrations;
}

EpisodeBatch::EpisodeBatch(const PlayRules& rules)
    : rules_(rules),
      windows_(observer_shape(ActorKind::kernel).item_features,
               observer_shape(ActorKind::kernel).global_features) {}

void EpisodeBatch::begin(Running& running) {
  const TaskSequence& tasks = running.play.episode->tasks;
  running.world = world_for(tasks, rules_);
  running.world.reset(tasks);
  running.observer.begin(tasks, origin_of(tasks));
}

Result<std::vector<double>> EpisodeBatch::play(const ActorCritic& net,
                                               std::span<const EpisodePlay> plays,
                                               Rollout* record) {
  running_.clear();
  for (const EpisodePlay& play : plays) {
    running_.push_back({.play = play,
                        .world = QueueWorld(rules_.gpus, rules_.queue),
                        .observer = TaskObserver(rules_.window)});
    begin(running_.back());
    skip_forced(running_.size() - 1, record);
  }
  for (observe_all(); !active_.empty(); observe_all()) {
    net.logits(windows_, logits_);
    if (record != nullptr) net.values(windows_, values_);
    if (auto done = choose_all(record); !done) return std::move(done).error();
  }
  std::vector<double> totals;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    totals.push_back(running_[i].total);
    if (record != nullptr && running_[i].recorded) record->end(static_cast<std::uint32_t>(i));
  }
  return totals;
}

/// Shows all worlds that need a choice.
void EpisodeBatch::observe_all() {
  active_.clear();
  windows_.clear();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (!running_[i].world.needs_choice()) continue;
    active_.push_back(i);
    windows_.add(running_[i].observer.look(running_[i].world));
  }
}

Result<Done> EpisodeBatch::choose_all(Rollout* record) {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Running& running = running_[active_[i]];
    if (!chances_.set(windows_.of(i, std::span<const float>(logits_))))
      return Error{"the network's answers are not finite"};
    const std::uint32_t item =
        running.play.chance ? chances_.at(running.play.chance->uniform()) : chances_.best();
    if (record != nullptr) {
      record->add(static_cast<std::uint32_t>(active_[i]), windows_[i],
                  {.action = item,
                   .log_probability = chances_.log_probability(item),
                   .value = static_cast<double>(values_[i])});
      running.recorded = true;
    }
    act(active_[i], running.observer.tasks()[item], record);
    skip_forced(active_[i], record);
  }
  return Done{};
}

void EpisodeBatch::act(std::size_t index, std::uint32_t task, Rollout* record) {
  Running& running = running_[index];
  const Episode& episode = *running.play.episode;
  running.world.choose(task);
  double cost = 0;
  double expected = 0;
  for (const std::uint32_t started : running.world.started()) {
    cost += episode.tasks[started].cost * slowdown_of(running.world, started);
    expected += episode.shares[started];
  }
  cost /= episode.reference;
  running.total -= cost;
  // What happens before the first choice is not the network's doing.
  if (record != nullptr && running.recorded)
    record->reward(static_cast<std::uint32_t>(index), expected - cost);
}

void EpisodeBatch::skip_forced(std::size_t index, Rollout* record) {
  const QueueWorld& world = running_[index].world;
  while (world.needs_choice() && world.ready().size() == 1)
    act(index, world.ready().front(), record);
}

Result<std::vector<double>> play_episodes(const ActorCritic& net,
                                          std::span<const EpisodePlay> plays,
                                          const PlayRules& rules, std::uint32_t threads,
                                          Rollout* record) {
  constexpr std::size_t kLane = 8;  // plays asked about at once
  const std::size_t lanes = (plays.size() + kLane - 1) / kLane;
  const NetShape& shape = net.shape();
  std::vector<Rollout> records(lanes, Rollout(shape.item_features, shape.global_features, kLane));
  std::vector<Result<std::vector<double>>> totals(lanes, std::vector<double>{});
  in_parallel(lanes, threads, [&](std::size_t l) {
    const auto part = plays.subspan(l * kLane, std::min(kLane, plays.size() - l * kLane));
    totals[l] = EpisodeBatch(rules).play(net, part, record == nullptr ? nullptr : &records[l]);
  });
  std::vector<double> all;
  for (std::size_t l = 0; l < lanes; ++l) {
    if (!totals[l]) return std::move(totals[l]).error();
    all.insert(all.end(), totals[l]->begin(), totals[l]->end());
    if (record != nullptr) record->append(records[l]);
  }
  return all;
}

}  // namespace penstock
