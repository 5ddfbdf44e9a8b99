#include "learn/mars/training_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "learn/mars/observation.h"

namespace penstock {

PpoSettings queue_ppo() {
  return {.entropy = 0.001,
          .policy_rate = 1e-3,
          .value_rate = 1e-3,
          .policy_iterations = 4,
          .value_iterations = 4,
          .minibatch = 512};
}

TrainingTexts describe(const TrainingSettings& settings, const Grounds& grounds) {
  return {
      {"features", std::to_string(kFeatureVersion)},
      {"origin", grounds.origin},
      {"episodes", fmt::format("{}+{} of {}", grounds.training.size(), grounds.validation.size(),
                               grounds.training.empty() ? 0 : grounds.training[0].tasks.size())},
      {"gpus", std::to_string(grounds.rules.gpus)},
      {"window", std::to_string(grounds.rules.window)},
      {"backfill", grounds.rules.queue.backfill == Backfill::easy ? "easy" : "none"},
      {"commit", grounds.rules.queue.commit == Commit::until_event ? "event" : "start"},
      {"teachers", fmt::format("{}", fmt::join(settings.teachers, ","))},
      {"net", settings.kind == ActorKind::kernel ? "kernel" : "attention"},
      {"updates", std::to_string(settings.updates)},
      {"worlds", std::to_string(settings.worlds)},
      {"lessons", fmt::format("{} x {}, softness {}, warm-up {}", settings.lessons,
                              settings.cloning.passes, settings.softness, settings.warm_up)},
      {"validation",
       fmt::format("every {}, patience {}", settings.validate_every, settings.patience)},
      {"ppo", text_of(settings.ppo)},
      {"seed", std::to_string(settings.seed)},
  };
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

}  // namespace penstock
