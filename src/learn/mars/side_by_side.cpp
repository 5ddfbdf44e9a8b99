#include "learn/mars/side_by_side.h"

#include "base/in_parallel.h"
#include "learn/mars/ensemble.h"

namespace penstock {

SideBySide::SideBySide(const PlayRules& rules)
    : rules_(rules),
      windows_(observer_shape(ActorKind::kernel).item_features,
               observer_shape(ActorKind::kernel).global_features) {}

void SideBySide::begin(Table& table) {
  const TaskSequence& tasks = table.seat.contest->tasks;
  QueueOptions options = rules_.queue;
  options.origin = origin_of(tasks);
  table.world = QueueWorld(rules_.gpus, options);
  table.world.reset(tasks);
  table.observer.begin(tasks, options.origin);
}

Result<std::vector<double>> SideBySide::play(const ActorCritic& net, std::span<const Seat> seats,
                                             Rollout* record) {
  tables_.clear();
  for (const Seat& seat : seats) {
    tables_.push_back({.seat = seat,
                       .world = QueueWorld(rules_.gpus, rules_.queue),
                       .observer = TaskObserver(rules_.window)});
    begin(tables_.back());
    skip_forced(tables_.size() - 1, record);
  }
  for (look_at_all(); !active_.empty(); look_at_all()) {
    net.logits(windows_, logits_);
    if (record != nullptr) net.values(windows_, values_);
    if (auto done = choose_everywhere(record); !done) return std::move(done).error();
  }
  std::vector<double> totals;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    totals.push_back(tables_[i].total);
    if (record != nullptr && tables_[i].recorded) record->end(static_cast<std::uint32_t>(i));
  }
  return totals;
}

/// Into all worlds that need a choice.
void SideBySide::look_at_all() {
  active_.clear();
  windows_.clear();
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (!tables_[i].world.needs_choice()) continue;
    active_.push_back(i);
    windows_.add(tables_[i].observer.look(tables_[i].world));
  }
}

Result<Done> SideBySide::choose_everywhere(Rollout* record) {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Table& table = tables_[active_[i]];
    if (!chances_.set(windows_.of(i, std::span<const float>(logits_))))
      return Error{"the network's answers are not finite"};
    const std::uint32_t item =
        table.seat.chance ? chances_.at(table.seat.chance->uniform()) : chances_.best();
    if (record != nullptr) {
      record->add(static_cast<std::uint32_t>(active_[i]), windows_[i],
                  {.action = item,
                   .log_probability = chances_.log_probability(item),
                   .value = static_cast<double>(values_[i])});
      table.recorded = true;
    }
    act(active_[i], table.observer.tasks()[item], record);
    skip_forced(active_[i], record);
  }
  return Done{};
}

void SideBySide::act(std::size_t index, std::uint32_t task, Rollout* record) {
  Table& table = tables_[index];
  const Contest& contest = *table.seat.contest;
  table.world.choose(task);
  double cost = 0;
  double expected = 0;
  for (const std::uint32_t started : table.world.started()) {
    cost += contest.tasks[started].cost * slowdown_of(table.world, started);
    expected += contest.shares[started];
  }
  cost /= contest.reference;
  table.total -= cost;
  // What comes before the first choice is nobody's merit.
  if (record != nullptr && table.recorded)
    record->reward(static_cast<std::uint32_t>(index), expected - cost);
}

void SideBySide::skip_forced(std::size_t index, Rollout* record) {
  const QueueWorld& world = tables_[index].world;
  while (world.needs_choice() && world.ready().size() == 1)
    act(index, world.ready().front(), record);
}

Result<std::vector<double>> play_all(const ActorCritic& net, std::span<const Seat> seats,
                                     const PlayRules& rules, std::uint32_t threads,
                                     Rollout* record) {
  constexpr std::size_t kLane = 8;  // seats asked about at once
  const std::size_t lanes = (seats.size() + kLane - 1) / kLane;
  const NetShape& shape = net.shape();
  std::vector<Rollout> records(lanes, Rollout(shape.item_features, shape.global_features, kLane));
  std::vector<Result<std::vector<double>>> totals(lanes, std::vector<double>{});
  in_parallel(lanes, threads, [&](std::size_t l) {
    const auto part = seats.subspan(l * kLane, std::min(kLane, seats.size() - l * kLane));
    totals[l] = SideBySide(rules).play(net, part, record == nullptr ? nullptr : &records[l]);
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
