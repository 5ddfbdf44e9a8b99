#include "solve/job_classes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace penstock {
namespace {

/// How finely jobs are told apart.
struct Buckets {
  std::size_t submissions = 48;
  std::size_t deadlines = 16;
  bool homes = true;
};

Buckets coarser(const Buckets& buckets) {
  if (buckets.homes) return {buckets.submissions, buckets.deadlines, false};
  return {buckets.submissions / 2, std::max<std::size_t>(1, buckets.deadlines / 2), false};
}

std::size_t bucket_of(std::size_t window, std::size_t windows, std::size_t buckets) {
  return window * std::min(windows, buckets) / windows;
}

/// By powers of two, how many windows something takes.
int size_of(double seconds, const TimeWindows& windows) {
  if (windows.size() <= 2) return 0;
  const double width = windows.begin[2] - windows.begin[1];
  return seconds <= width ? 0 : 1 + static_cast<int>(std::log2(seconds / width));
}

void add_uses(std::vector<Use>& sum, const BoundedShape& shape, double work) {
  sum.resize(shape.uses.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i].possible = shape.uses[i].possible;
    sum[i].gpu_seconds += shape.uses[i].gpu_seconds * work;
    sum[i].joules += shape.uses[i].joules * work;
  }
}

/// Which types a shape can run on, and how its needs compare between them, roughly.
std::vector<int> likeness(const BoundedShape& shape) {
  std::vector<int> like;
  for (const Use& use : shape.uses) {
    like.push_back(use.possible ? 1 : 0);
    const bool told = use.possible && use.gpu_seconds > 0 && use.joules > 0;
    like.push_back(told ? static_cast<int>(std::lround(std::log2(use.joules / use.gpu_seconds)))
                        : 0);
  }
  return like;
}

/// Jobs for which it would never pay to be late, whatever is saved by it: they have few windows, so
/// there may be many classes of them.
class Punctual {
 public:
  explicit Punctual(const PricedWork& priced) : priced_(priced) {
    for (const auto& site : priced.windows.rates)
      for (const double rate : site) dearest_ = std::max(dearest_, rate);
  }

  bool is(const BoundedJob& job) const {
    if (!can_be(job) || priced_.counted.late <= 0) return false;
    double cost = 0;
    for (const GpuPool& pool : priced_.machines.pools) {
      const Use& use = priced_.jobs.shapes[job.shape].uses[pool.type];
      if (use.possible)
        cost = std::max(cost, job.work * cost_on(pool, use, dearest_, priced_.counted));
    }
    return cost <= priced_.counted.late;
  }
  /// In time, if it had all GPUs for itself.
  static bool can_be(const BoundedJob& job) {
    return job.due && job.ready + job.fastest <= job.deadline;
  }

 private:
  const PricedWork& priced_;
  double dearest_ = 0;
};

/// What tells deadlines apart: when they are, or how much time there is.
std::size_t due_bucket(const BoundedJob& job, const PricedWork& priced, const Buckets& buckets,
                       bool punctual) {
  const TimeWindows& windows = priced.windows;
  if (punctual)
    return 1 + static_cast<std::size_t>(size_of(job.deadline - job.ready - job.fastest, windows));
  const bool counts = priced.counted.tardiness * job.weight > 0 ||
                      (priced.counted.late > 0 && Punctual::can_be(job));
  if (!counts) return 0;
  return 1 + bucket_of(windows.at(job.deadline), windows.size(), buckets.deadlines);
}

/// The last window in which something can be done by then.
std::size_t last_before(double when, const TimeWindows& windows) {
  const std::size_t at = windows.at(when);
  return at > 0 && windows.begin[at] >= when ? at - 1 : at;
}

void join(JobClass& members, const BoundedJob& job, const PricedWork& priced, bool punctual) {
  const TimeWindows& windows = priced.windows;
  members.first = std::min(members.first, windows.at(job.ready));
  members.last =
      std::max(members.last, punctual ? last_before(job.deadline, windows) : windows.size() - 1);
  add_uses(members.uses, priced.jobs.shapes[job.shape], job.work);
  members.gpu_seconds += job.gpu_seconds;
  if (members.gpu_seconds > 0)
    members.fastest += (job.fastest - members.fastest) * job.gpu_seconds / members.gpu_seconds;
  members.gigabytes += job.gigabytes;
  if (Punctual::can_be(job)) {
    members.late += priced.counted.late;
    ++members.due;
    members.deadline += (job.deadline - members.deadline) / members.due;
  }
  const double weight = priced.counted.tardiness * job.weight;
  members.weight += weight;
  members.weighted_deadline += weight * job.deadline;
}

std::vector<JobClass> classes_of(const PricedWork& priced, const Buckets& buckets) {
  const TimeWindows& windows = priced.windows;
  std::vector<std::vector<int>> like;
  like.reserve(priced.jobs.shapes.size());
  for (const BoundedShape& shape : priced.jobs.shapes) like.push_back(likeness(shape));
  const Punctual punctual(priced);
  using Key = std::tuple<bool, std::vector<int>, int, SiteId, std::size_t, std::size_t>;
  std::map<Key, JobClass> classes;
  for (const BoundedJob& job : priced.jobs.jobs) {
    const bool prompt = punctual.is(job);
    const std::size_t first = windows.at(job.ready);
    const SiteId home = job.gigabytes > 0 && buckets.homes ? job.home : kNoSite;
    const std::size_t submissions = prompt ? 4 * buckets.submissions : buckets.submissions;
    const Key key{prompt,
                  like[job.shape],
                  size_of(job.fastest, windows),
                  home,
                  bucket_of(first, windows.size(), submissions),
                  due_bucket(job, priced, buckets, prompt)};
    const auto found = classes.try_emplace(key, JobClass{.first = first, .home = home}).first;
    join(found->second, job, priced, prompt);
  }
  std::vector<JobClass> all;
  all.reserve(classes.size());
  for (auto& [key, members] : classes) all.push_back(std::move(members));
  return all;
}

std::size_t columns_of(const std::vector<JobClass>& classes, const PricedWork& priced) {
  std::size_t columns = 0;
  for (const JobClass& members : classes)
    columns += (members.last + 1 - members.first) * priced.machines.pools.size();
  return columns;
}

}  // namespace

std::vector<JobClass> job_classes(const PricedWork& priced, std::size_t most_columns) {
  Buckets buckets;
  auto classes = classes_of(priced, buckets);
  while (columns_of(classes, priced) > most_columns && buckets.submissions > 1) {
    buckets = coarser(buckets);
    classes = classes_of(priced, buckets);
  }
  return classes;
}

}  // namespace penstock
