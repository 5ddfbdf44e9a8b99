#include "app/train_grounds.h"

#include <fmt/format.h>

#include "experiment/policy_choice.h"
#include "experiment/workload.h"

namespace penstock {
namespace {

std::vector<TracedJob> all_jobs(const Workload& workload) {
  std::vector<TracedJob> jobs;
  const auto source = workload.source();
  while (auto job = source->next()) jobs.push_back(*std::move(job));
  return jobs;
}

Machine machine_for(const Scenario& scenario, const std::vector<TracedJob>& jobs,
                    double per_gpu_hour) {
  Machine machine = largest_pool(scenario.cluster);
  const Time first = jobs.front().job.submitted;
  machine.rates = {.per_kwh = mean_price_per_kwh(scenario.signals[machine.site.index], first,
                                                 jobs.back().job.submitted),
                   .per_gpu_hour = per_gpu_hour};
  return machine;
}

/// Draws from the first part to train, from the rest to judge.
Result<QueueTrainingData> draw(const QueueDataRequest& request, std::span<const Task> tasks,
                               const PlayRules& rules) {
  const auto held = static_cast<std::size_t>(static_cast<double>(tasks.size()) * request.held_out);
  const Rng rng = Rng(request.seed).stream("episodes");
  auto training = draw_sequences(tasks.first(tasks.size() - held), request.episodes, rules.gpus,
                                 rng.stream("training"));
  if (!training) return std::move(training).error().in("the part for training");
  const EpisodeOptions for_validation{.tasks = request.episodes.tasks, .count = request.validation};
  auto validation =
      draw_sequences(tasks.last(held), for_validation, rules.gpus, rng.stream("validation"));
  if (!validation) return std::move(validation).error().in("the part held out for validation");
  return QueueTrainingData{
      .rules = rules,
      .training = make_episodes(*std::move(training), rules, request.threads),
      .validation = make_episodes(*std::move(validation), rules, request.threads)};
}

}  // namespace

Result<PreparedQueueData> prepare_queue_data(const QueueDataRequest& request) {
  auto scenario = read_scenario(request.scenario, request.overrides, check_choice);
  if (!scenario) return std::move(scenario).error();
  auto workload = load_workload(*scenario);
  if (!workload) return std::move(workload).error();
  const std::vector<TracedJob> jobs = all_jobs(*workload);
  const Machine machine = machine_for(*scenario, jobs, request.per_gpu_hour);
  const std::vector<Task> tasks = tasks_on(machine, jobs, request.weighing);
  PlayRules rules = request.rules;
  rules.gpus = machine.gpus;
  rules.queue.over_request = scenario->workload.over_request;
  auto data = draw(request, tasks, rules);
  if (!data) return std::move(data).error().in(request.scenario.string());
  data->origin = fmt::format("{} held-out {} rate {} {}", scenario->hash, request.held_out,
                             request.per_gpu_hour,
                             request.weighing == Weighing::by_cost ? "cost" : "slowdown");
  constexpr std::size_t kRemembered = 1024;
  return PreparedQueueData{.scenario = scenario->name,
                           .hash = scenario->hash,
                           .machine = machine,
                           .tasks = tasks.size(),
                           .past = past_of(jobs, kRemembered),
                           .data = *std::move(data),
                           .remarks = workload->remarks};
}

}  // namespace penstock
