#include "learn/geo/geo_settings.h"

#include <fmt/format.h>

namespace penstock {
namespace {

std::string_view name_of(GeoTeacher teacher) {
  switch (teacher) {
    case GeoTeacher::none:
      return "none";
    case GeoTeacher::thrifty:
      return "thrifty";
    case GeoTeacher::thrifty_wait:
      return "thrifty-wait";
  }
  return "";
}

std::string site_of(const GeoWorld& world) {
  std::string text = world.site_policy;
  for (const auto& [name, value] : world.site_options) text += fmt::format(":{}={}", name, value);
  return text;
}

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

TrainingTexts describe(const GeoTrainingSettings& settings, const GeoGrounds& grounds) {
  const UtilityWeights& weights = grounds.world.weights;
  const std::size_t jobs = grounds.training.empty() ? 0 : grounds.training[0].jobs.size();
  return {
      {"features", std::to_string(kGeoFeatureVersion)},
      {"origin", grounds.origin},
      {"policy", std::string(settings.variant.name)},
      {"critic", settings.variant.joint_critic ? "joint" : "local"},
      {"waiting", settings.waiting ? "allowed" : "barred"},
      {"transfers", settings.transfers ? "known" : "not known"},
      {"net", settings.kind == ActorKind::kernel ? "kernel" : "attention"},
      {"episodes",
       fmt::format("{}+{} of {}", grounds.training.size(), grounds.validation.size(), jobs)},
      {"site", site_of(grounds.world)},
      {"slack", fmt::format("{}", grounds.world.slack)},
      {"utility", fmt::format("{} {} {} {} {}", weights.utilization, weights.cost, weights.carbon,
                              weights.transfer, weights.late)},
      {"updates", std::to_string(settings.updates)},
      {"worlds", std::to_string(settings.worlds)},
      {"teacher", std::string(name_of(settings.teacher))},
      {"lessons", fmt::format("{} x {}, softness {}, warm-up {}", settings.lessons,
                              settings.cloning.passes, settings.softness, settings.warm_up)},
      {"validation",
       fmt::format("every {}, patience {}", settings.validate_every, settings.patience)},
      {"ppo", text_of(settings.ppo)},
      {"seed", std::to_string(settings.seed)},
  };
}

}  // namespace penstock
