#include "learn/mars/snapshot.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/check.h"

namespace penstock {
namespace {

/// GPUs that are down are taken to be held for so long.
constexpr Duration kRepair = std::chrono::hours(24);

class SnapshotBuilder {
 public:
  SnapshotBuilder(const View& view, const Pool& pool, const SnapshotInputs& inputs,
                  const SnapshotRules& rules)
      : view_(view),
        pool_(pool),
        inputs_(inputs),
        rules_(rules),
        type_(view.state.cluster().types[pool.type().index]) {
    const Outlook& outlook = view.outlook;
    rates_ = {.per_kwh = std::max(0.0, outlook.price(pool.site()).at(view.now).value()) *
                         outlook.pue(pool.site()).value(),
              .per_gpu_hour = rules.per_gpu_hour};
  }

  Snapshot take() {
    add_waiting();
    note_running();
    add_held();
    sort_and_link();
    add_arrivals();
    auto tasks = TaskSequence::make(std::move(tasks_), pool_.total());
    PENSTOCK_CHECK(tasks);
    return {.tasks = *std::move(tasks), .running = std::move(running_)};
  }

 private:
  bool suits(const Job& job) const {
    return (job.gpu_types >> pool_.type().index & 1) != 0 && job.gpus <= pool_.total();
  }

  /// Whoever is left out of a long queue asked for more time than all others: long jobs go last
  /// under whatever does well, and to miss a short one would be dear.
  void add_waiting() {
    std::vector<const JobState*> waiting;
    for (const JobState& job : view_.state.queue())
      if (suits(job.job)) waiting.push_back(&job);
    if (waiting.size() > rules_.window) {
      const auto last = waiting.begin() + static_cast<std::ptrdiff_t>(rules_.window);
      std::ranges::nth_element(waiting, last, {}, [](const JobState* job) {
        return std::pair(job->job.requested, job->job.id);
      });
      waiting.erase(last, waiting.end());
    }
    for (const JobState* job : waiting) add(*job);
  }

  void add(const JobState& state) {
    const Job& job = state.job;
    const Duration overhead = view_.state.costs().before_work(state.starts > 0);
    const bool overdue = state.done >= job.work;
    const Duration ahead = overdue ? std::max<Duration>(state.held, std::chrono::minutes(1))
                                   : state.remaining_request();
    Task task{.id = job.id,
              .submitted = job.submitted,
              .gpus = job.gpus,
              .requested = ahead + overhead,
              .actual = inputs_.history.sample_run_time(ahead, {}, uniform_of(job.id)) + overhead,
              .cost = rules_.weighs_cost ? task_cost(job, type_, rates_) : 1,
              .deadline = job.deadline};
    if (rules_.sizing != Sizing::asked) find_bounds(job, task);
    tasks_.push_back(std::move(task));
  }

  /// Those all of whose parents are known here or have ended; parents have lower numbers.
  void add_held() {
    if (inputs_.held.empty()) return;
    std::set<JobId> known;
    for (const Task& task : tasks_) known.insert(task.id);
    const auto is_settled = [&](JobId parent) {
      const JobState* state = view_.state.find(parent);
      return state == nullptr || state->phase == Phase::ended || known.contains(parent);
    };
    for (const JobId id : inputs_.held) {
      const JobState& state = view_.state.job(id);
      if (!suits(state.job) || !std::ranges::all_of(state.job.parents, is_settled)) continue;
      add(state);
      known.insert(id);
    }
  }

  /// The numbers of GPUs between which every one will do, and how well the job scales to the most.
  void find_bounds(const Job& job, Task& task) const {
    const Profile* profile = view_.models.find(job, pool_.type());
    if (profile == nullptr) return;
    const auto works = [&](std::uint32_t gpus) {
      return runs(*profile, {.gpus = gpus, .nodes = 1, .batch = job.batch});
    };
    task.least_gpus = task.most_gpus = job.gpus;
    const std::uint32_t largest = std::min(pool_.largest_node(), profile->gpus_most);
    while (task.least_gpus > 1 && works(task.least_gpus - 1)) --task.least_gpus;
    while (task.most_gpus < largest && works(task.most_gpus + 1)) ++task.most_gpus;
    task.serial = serial_share(*profile, job, task.most_gpus);
  }

  /// By Amdahl's law, from the speeds on the asked number of GPUs and on the most.
  static double serial_share(const Profile& profile, const Job& job, std::uint32_t most) {
    if (most <= job.gpus) return 0;
    const double gain = throughput(profile, {.gpus = most, .batch = job.batch}) /
                        throughput(profile, {.gpus = job.gpus, .batch = job.batch});
    const double linear = static_cast<double>(most) / job.gpus;
    return std::clamp((1 / gain - 1 / linear) / (1 - 1 / linear), 0.0, 1.0);
  }

  /// In [0, 1), the same for a job whenever it is asked.
  double uniform_of(JobId job) const { return Rng(rules_.seed).stream(job.index).uniform(); }

  void note_running() {
    std::uint32_t held = 0;
    for (const JobState& job : view_.state.running()) {
      const Node& node = view_.state.cluster().node(job.where.front().first);
      if (node.site != pool_.site() || node.type != pool_.type()) continue;
      const std::uint32_t gpus = gpu_count(job.where);
      const Duration ahead = job.remaining_request();
      held += gpus;
      const Time begins = std::max(job.work_begins, job.started);
      const Duration already = std::max(view_.now - begins, Duration::zero());
      const Duration runs = inputs_.history.sample_run_time(ahead, already, uniform_of(job.job.id));
      running_.push_back(
          {.gpus = gpus,
           .started = job.started,
           .believed_end = begins + ahead,
           .end = std::max(begins + runs, view_.now + std::chrono::milliseconds(1))});
      if (inputs_.held.empty()) continue;
      add(job);
      running_.back().task = static_cast<std::uint32_t>(tasks_.size()) - 1;
    }
    const std::uint32_t down = pool_.total() - pool_.free() - held;
    if (down > 0)
      running_.push_back({.gpus = down, .started = view_.now, .believed_end = view_.now + kRepair});
  }

  /// In order of submission, with parents by number; parents of other pools count as ended.
  void sort_and_link() {
    std::vector<std::uint32_t> order(tasks_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(
        order, {}, [&](std::uint32_t i) { return std::pair(tasks_[i].submitted, tasks_[i].id); });
    std::vector<Task> sorted;
    std::vector<std::uint32_t> place(order.size());
    std::map<JobId, std::uint32_t> number;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      number[tasks_[order[i]].id] = i;
      sorted.push_back(std::move(tasks_[order[i]]));
    }
    for (Task& task : sorted)
      for (const JobId parent : view_.state.job(task.id).job.parents)
        if (const auto found = number.find(parent); found != number.end())
          task.parents.push_back(found->second);
    for (RunningTask& running : running_)
      if (running.task != kNoTask) running.task = place[running.task];
    tasks_ = std::move(sorted);
  }

  /// What may come, numbered from the end of all numbers downwards.
  void add_arrivals() {
    if (tasks_.empty()) return;
    Rng rng = Rng(rules_.seed).stream("arrivals");
    std::uint32_t number = ~0u;
    std::vector<std::uint32_t> places;  // of all that came; no task if it is left out
    for (const auto& [when, one] : inputs_.history.sample_arrivals(view_.now, rules_.ahead, rng)) {
      const Job job{.gpus = one.gpus, .requested = one.requested, .gpu_types = one.gpu_types};
      places.push_back(suits(job) ? static_cast<std::uint32_t>(tasks_.size()) : kNoTask);
      if (!suits(job)) continue;
      tasks_.push_back({.id = JobId{--number},
                        .submitted = when,
                        .gpus = one.gpus,
                        .requested = one.requested,
                        .actual = inputs_.history.sample_run_time(one.requested, {}, rng.uniform()),
                        .cost = rules_.weighs_cost ? task_cost(job, type_, rates_) : 1});
      for (const std::uint32_t back : one.parents_back)
        if (const std::uint32_t parent = places[places.size() - 1 - back]; parent != kNoTask)
          tasks_.back().parents.push_back(parent);
    }
  }

  const View& view_;
  const Pool& pool_;
  const SnapshotInputs& inputs_;
  const SnapshotRules& rules_;
  const GpuType& type_;
  TaskRates rates_;
  std::vector<Task> tasks_;
  std::vector<RunningTask> running_;
};

}  // namespace

Snapshot take_present(const View& view, const Pool& pool, const SnapshotInputs& inputs,
                      const SnapshotRules& rules) {
  SnapshotRules all = rules;
  all.window = std::numeric_limits<std::size_t>::max();
  all.ahead = 0;
  return take_snapshot(view, pool, inputs, all);
}

Snapshot take_snapshot(const View& view, const Pool& pool, const SnapshotInputs& inputs,
                       const SnapshotRules& rules) {
  return SnapshotBuilder(view, pool, inputs, rules).take();
}

}  // namespace penstock
