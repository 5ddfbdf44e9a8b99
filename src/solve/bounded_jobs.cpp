#include "solve/bounded_jobs.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "solve/work_to_serve.h"

namespace penstock {
namespace {

/// The types on which a shape can run, as bits.
std::uint64_t types_of(const BoundedShape& shape) {
  std::uint64_t types = 0;
  for (std::size_t i = 0; i < shape.uses.size(); ++i)
    if (shape.uses[i].possible) types |= 1ull << i;
  return types;
}

double gpus_among(const Cluster& cluster, std::uint64_t types) {
  double gpus = 0;
  for (const Node& node : cluster.nodes)
    if ((types >> node.type.index & 1) != 0) gpus += node.gpus;
  return gpus;
}

BoundedJob bounded(const TracedJob& traced, const BoundedWorld& world, const BoundedShape& shape,
                   double work) {
  const Job& job = traced.job;
  BoundedJob bounded{.submitted = seconds(job.submitted - world.start),
                     .fastest = kUnbounded,
                     .gpu_seconds = kUnbounded,
                     .work = work};
  bounded.ready = bounded.submitted;
  if (!world.cluster.network.empty() && job.home != kNoSite) {
    bounded.home = job.home;
    bounded.gigabytes = static_cast<double>(job.files_gb);
  }
  if (job.deadline) {
    bounded.due = true;
    bounded.deadline = seconds(*job.deadline - world.start);
    bounded.weight = job.tardiness_weight.value();
  }
  // A rigid job's unit of work is a GPU-second of any job; its time is by its own GPUs.
  const double by_gpus = job.kind_id ? 1 : 1.0 / job.gpus;
  bounded.width = 1 / by_gpus;
  bounded.scale = work * by_gpus;
  for (const Use& use : shape.uses) {
    if (!use.possible) continue;
    bounded.fastest = std::min(bounded.fastest, use.seconds * work * by_gpus);
    bounded.gpu_seconds = std::min(bounded.gpu_seconds, use.gpu_seconds * work);
  }
  return bounded;
}

/// The sum of the times around which work is done, each job's on average, on one machine that
/// does as much as all GPUs: least if of the jobs there are the smallest always goes first.
double least_mean_busy_times(const std::vector<BoundedJob>& jobs, double gpus) {
  std::vector<std::uint32_t> order(jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return jobs[i].ready; });
  std::vector<double> sizes;
  sizes.reserve(jobs.size());
  for (const BoundedJob& job : jobs) sizes.push_back(job.gpu_seconds / gpus);
  WorkToServe work(jobs, order, sizes);
  auto& waiting = work.waiting;
  double now = 0;
  double sum = 0;
  while (!work.is_done()) {
    if (waiting.empty()) now = std::max(now, work.next_ready());
    work.let_in(now);
    WaitingWork first = waiting.top();
    waiting.pop();
    const double until = work.next_ready();
    const double part = std::min(first.left, until - now);
    const double share = first.size > 0 ? part / first.size : 1;
    sum += share * (now + part / 2);
    const bool done = part >= first.left;
    now = done ? now + part : until;
    first.left -= part;
    if (!done) waiting.push(first);
  }
  return sum;
}

}  // namespace

BoundedJobs bounded_jobs(const BoundedWorld& world, std::vector<GpuDraw> draws, JobSource& source,
                         TellHull hull) {
  BoundedJobs all{.draws = std::move(draws)};
  LeastUse least(world, all.draws, hull);
  std::map<LeastUse::Shape, std::uint32_t> known;
  std::vector<double> done;  // by job: no earlier can it end
  while (const auto traced = source.next()) {
    const auto [shape, is_new] =
        known.try_emplace(LeastUse::shape(*traced), static_cast<std::uint32_t>(all.shapes.size()));
    if (is_new) all.shapes.push_back({least.unit(*traced)});
    BoundedJob job = bounded(*traced, world, all.shapes[shape->second], least.work(*traced));
    job.shape = shape->second;
    for (const JobId parent : traced->job.parents)
      job.ready = std::max(job.ready, done[parent.index]);
    done.push_back(job.ready + job.fastest);
    all.jobs.push_back(job);
    all.rigid = all.rigid && !traced->job.kind_id;
  }
  return all;
}

double least_total_completion(const std::vector<BoundedJob>& jobs, double gpus) {
  double alone = 0;
  double halves = 0;
  for (const BoundedJob& job : jobs) {
    alone += job.ready + job.fastest;
    halves += job.fastest / 2;
  }
  return std::max(alone, least_mean_busy_times(jobs, gpus) + halves);
}

double least_makespan(const BoundedWorld& world, const BoundedJobs& all) {
  double last = 0;
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_types;
  for (std::uint32_t i = 0; i < all.jobs.size(); ++i) {
    last = std::max(last, all.jobs[i].ready + all.jobs[i].fastest);
    by_types[types_of(all.shapes[all.jobs[i].shape])].push_back(i);
  }
  for (const auto& [types, ignored] : by_types) {
    std::vector<std::uint32_t> jobs;
    for (const auto& [others, members] : by_types)
      if ((others & ~types) == 0) jobs.insert(jobs.end(), members.begin(), members.end());
    std::ranges::sort(jobs, std::ranges::greater{},
                      [&](std::uint32_t i) { return std::pair(all.jobs[i].ready, i); });
    const double gpus = gpus_among(world.cluster, types);
    double after = 0;  // GPU-seconds of the jobs that are ready no earlier
    for (const std::uint32_t i : jobs) {
      after += all.jobs[i].gpu_seconds;
      last = std::max(last, all.jobs[i].ready + after / gpus);
    }
  }
  return last;
}

}  // namespace penstock
