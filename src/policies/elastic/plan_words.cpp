#include "policies/elastic/plan_words.h"

#include <fmt/format.h>

#include <cmath>

#include "policy/reasons.h"

namespace penstock {
namespace {

/// What a plan, or the least way of a job, takes of the limits.
struct Use {
  std::uint32_t gpus = 0;
  Watts power{};
  Joules energy{};
};

double kilowatts(Watts power) {
  return power.value() / 1e3;
}

Use use_of(const PlanJob& job, const Way& way) {
  return {way.gpus, way.draw, energy_ahead(job, way)};
}

Use sum_of(std::span<const PlanJob> jobs, const Plan& plan) {
  Use sum;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!plan[i]) continue;
    const Use use = use_of(jobs[i], jobs[i].curve->way(*plan[i]));
    sum = {sum.gpus + use.gpus, sum.power + use.power, sum.energy + use.energy};
  }
  return sum;
}

/// "the plan uses 6 of 8 GPUs, 1.20 of 2.00 kW beyond idle"
std::string whole_plan(const Use& sum, const PlanLimits& limits) {
  std::string text = fmt::format("the plan uses {} of {} GPUs", sum.gpus, limits.gpus);
  if (std::isfinite(limits.power.value()))
    text += fmt::format(", {:.2f} of {:.2f} kW beyond idle", kilowatts(sum.power),
                        kilowatts(limits.power));
  if (std::isfinite(limits.energy.value()))
    text += fmt::format(", {:.2f} of {:.2f} kWh", kilowatt_hours(sum.energy),
                        kilowatt_hours(limits.energy));
  return text;
}

std::string running_words(const PlanJob& job, const Way& way) {
  return fmt::format("{} and {:.2f} kWh to its end", duration_label(time_ahead(job, way)),
                     kilowatt_hours(energy_ahead(job, way)));
}

/// What it would need, where that is limited.
std::string waiting_words(const PlanJob& job, const PlanLimits& limits) {
  const Use least = use_of(job, job.curve->way(0));
  std::string text = "needs " + gpus_label(least.gpus);
  if (std::isfinite(limits.power.value()))
    text += fmt::format(", {:.2f} kW", kilowatts(least.power));
  if (std::isfinite(limits.energy.value()))
    text += fmt::format(", {:.2f} kWh", kilowatt_hours(least.energy));
  return text + " at least, shorter jobs first";
}

}  // namespace

std::vector<std::string> plan_words(std::span<const PlanJob> jobs, const Plan& plan,
                                    const PlanLimits& limits) {
  const std::string whole = whole_plan(sum_of(jobs, plan), limits);
  std::vector<std::string> words;
  words.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i)
    words.push_back((plan[i] ? running_words(jobs[i], jobs[i].curve->way(*plan[i]))
                             : waiting_words(jobs[i], limits)) +
                    "; " + whole);
  return words;
}

}  // namespace penstock
