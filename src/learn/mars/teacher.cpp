#include "learn/mars/teacher.h"

#include <algorithm>

#include "base/check.h"
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

}  // namespace penstock
