#include "learn/mars/teacher.h"

#include <algorithm>

#include "base/check.h"
#include "learn/mars/ensemble.h"
#include "learn/mars/observation.h"

namespace penstock {

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

namespace {

void note(const TaskObserver& observer, const Window& window, std::uint32_t choice,
          Lessons& lessons) {
  const auto seen = observer.tasks();
  const auto at = std::ranges::find(seen, choice);
  if (at == seen.end()) return;
  lessons.windows.add(window);
  lessons.choices.push_back(static_cast<std::uint32_t>(at - seen.begin()));
}

}  // namespace

Lessons watch(const TaskOrder& order, std::span<const Contest> contests, const PlayRules& rules) {
  const NetShape shape = observer_shape(ActorKind::kernel);
  Lessons lessons{Windows(shape.item_features, shape.global_features)};
  Teacher teacher(order);
  TaskObserver observer(rules.window);
  for (const Contest& contest : contests) {
    QueueOptions options = rules.queue;
    options.origin = origin_of(contest.tasks);
    QueueWorld world(rules.gpus, options);
    world.reset(contest.tasks);
    teacher.begin(contest.tasks, options.origin);
    observer.begin(contest.tasks, options.origin);
    while (world.needs_choice()) {
      const std::uint32_t choice = teacher.choose(world);
      if (world.ready().size() > 1) note(observer, observer.look(world), choice, lessons);
      world.choose(choice);
    }
  }
  return lessons;
}

}  // namespace penstock
