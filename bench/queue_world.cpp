// How fast the compact world of one queue is: decisions a second as the environment of a learner,
// and one epoch of a selector that tries ten strategies on 512 queued tasks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/rng.h"
#include "learn/queue/strategy.h"

namespace penstock {
namespace {

constexpr std::uint32_t kGpus = 256;
constexpr std::uint32_t kTasks = 512;
constexpr int kEpisodes = 400;
/// RLScheduler's environment in Python, the best of what was measured.
constexpr double kPython = 3400;
const Time kStart = Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1));

/// Processor time: what others do on this machine does not count.
double ms_since(std::clock_t begun) {
  return static_cast<double>(std::clock() - begun) * 1e3 / CLOCKS_PER_SEC;
}

/// Sizes of powers of two, run times over four decades, twice what is needed asked for on average,
/// one task every `gap` seconds.
std::vector<Task> make_tasks(std::uint64_t seed, double gap) {
  Rng rng = Rng(seed).stream("tasks");
  std::vector<Task> tasks;
  Time at = kStart;
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    at += round_duration(rng.exponential(gap));
    const Duration actual = round_duration(std::pow(10, 1 + 4 * rng.uniform()));
    tasks.push_back({.id = {i},
                     .submitted = at,
                     .gpus = 1u << rng.below(8),
                     .requested = Duration(static_cast<std::int64_t>(
                         static_cast<double>(actual.count()) * (1 + 2 * rng.uniform()))),
                     .actual = actual,
                     .cost = rng.exponential(1)});
  }
  return tasks;
}

TaskSequence make_sequence(std::vector<Task> tasks) {
  auto made = TaskSequence::make(std::move(tasks), kGpus);
  if (made) return *std::move(made);
  fmt::print(stderr, "{}\n", made.error().message);
  std::exit(1);
}

void environment(const std::string& what, const QueueOptions& options) {
  std::vector<TaskSequence> sequences;
  for (std::uint64_t i = 0; i < 20; ++i) sequences.push_back(make_sequence(make_tasks(i, 900)));
  QueueWorld world(kGpus, options);
  Rng rng = Rng(7).stream("choices");
  std::uint64_t decisions = 0;
  std::uint64_t waiting = 0;
  double reward = 0;
  const std::clock_t begun = std::clock();
  for (int episode = 0; episode < kEpisodes; ++episode) {
    world.reset(sequences[static_cast<std::size_t>(episode) % sequences.size()]);
    while (world.needs_choice()) {
      waiting += world.ready().size();
      world.choose(world.ready()[rng.below(world.ready().size())]);
      for (const std::uint32_t task : world.started())
        reward -= world.tasks()[task].cost * slowdown_of(world, task);
      ++decisions;
    }
  }
  const double rate = static_cast<double>(decisions) / ms_since(begun) * 1e3;
  fmt::print("{:<44}{:>12.0f} decisions/s{:>8.0f} x Python{:>6.0f} waiting{:>10.1f} reward\n", what,
             rate, rate / kPython, static_cast<double>(waiting) / static_cast<double>(decisions),
             reward / (kEpisodes * kTasks));
}

/// All 512 tasks wait, others hold three quarters of the machine; what is believed is true.
struct Epoch {
  std::vector<Task> tasks;
  std::vector<RunningTask> running;
  Time now{};
};

Epoch make_epoch(std::uint64_t seed) {
  Epoch epoch{.tasks = make_tasks(seed, 60), .running = {}};
  for (Task& task : epoch.tasks) task.actual = task.requested;
  epoch.now = epoch.tasks.back().submitted;
  Rng rng = Rng(seed).stream("running");
  for (std::uint32_t held = 0; held < kGpus * 3 / 4; held += 4)
    epoch.running.push_back({.gpus = 4,
                             .started = epoch.now - std::chrono::hours(1),
                             .believed_end = epoch.now + round_duration(rng.exponential(3600))});
  return epoch;
}

void print_ms(const std::string& what, std::vector<double> ms) {
  std::ranges::sort(ms);
  fmt::print("{:<44}{:>9.3f} ms median{:>9.3f} ms at most\n", what, ms[ms.size() / 2], ms.back());
}

void selector() {
  QueueWorld here(kGpus, {.origin = kStart});
  QueueWorld scratch(kGpus, {});
  std::vector<std::vector<double>> each(all_strategies().size());
  std::vector<double> whole;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Epoch epoch = make_epoch(seed);
    const std::clock_t begun = std::clock();
    const TaskSequence tasks = make_sequence(std::move(epoch.tasks));
    here.reset(tasks, {.now = epoch.now, .running = epoch.running});
    std::size_t tried = 0;
    for (const Strategy& strategy : all_strategies()) {
      if (strategy.backfill != Backfill::easy || tried++ == 10) continue;
      run_to_end(scratch = here, strategy);
    }
    whole.push_back(ms_since(begun));
    for (std::size_t i = 0; i < each.size(); ++i) {
      const std::clock_t one = std::clock();
      run_to_end(scratch = here, all_strategies()[i]);
      each[i].push_back(ms_since(one));
    }
  }
  print_ms("one epoch, 512 tasks, 10 strategies with EASY", whole);
  for (std::size_t i = 0; i < each.size(); ++i)
    print_ms("  " + std::string(all_strategies()[i].name), each[i]);
}

}  // namespace
}  // namespace penstock

int main() {
  using namespace penstock;
  fmt::print("Episodes of {} tasks on {} GPUs, choices at random; Python: {} decisions/s\n", kTasks,
             kGpus, kPython);
  environment("committed, no backfill", {.commit = Commit::until_start});
  environment("committed, EASY", {.backfill = Backfill::easy, .commit = Commit::until_start});
  environment("chosen anew at every event, no backfill", {});
  environment("chosen anew at every event, EASY", {.backfill = Backfill::easy});
  selector();
}
