#include <algorithm>
#include <cmath>
#include <map>

#include "solve/linear_program.h"
#include "solve/windows.h"

namespace penstock {
namespace {

/// Jobs that are much alike, taken together.
struct JobClass {
  std::size_t first = 0;    ///< window of submission
  std::vector<Use> uses{};  ///< of all of them, by type
  double weight = 0;        ///< money for each second that all of them are late
  double weighted_deadline = 0;
  double gpu_seconds = 0;
  double fastest = 0;   ///< their mean, by GPU-seconds
  double due = 0;       ///< jobs with a deadline
  double deadline = 0;  ///< their mean
  SiteId home = kNoSite;
  double gigabytes = 0;
};

struct Buckets {
  std::size_t submissions = 48;
  std::size_t deadlines = 16;
};

std::size_t bucket_of(std::size_t window, std::size_t windows, std::size_t buckets) {
  return window * std::min(windows, buckets) / windows;
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

/// By powers of two, how many windows a job takes at least.
int length_of(const BoundedJob& job, const Windows& windows) {
  const double width = windows.size() > 2 ? windows.begin[2] - windows.begin[1] : kNoLimit;
  return job.fastest <= width ? 0 : 1 + static_cast<int>(std::log2(job.fastest / width));
}

void join(JobClass& members, const BoundedJob& job, const PricedWork& priced) {
  members.first = std::min(members.first, priced.windows.at(job.ready));
  add_uses(members.uses, priced.jobs.shapes[job.shape], job.work);
  members.gpu_seconds += job.gpu_seconds;
  if (members.gpu_seconds > 0)
    members.fastest += (job.fastest - members.fastest) * job.gpu_seconds / members.gpu_seconds;
  members.gigabytes += job.gigabytes;
  if (!job.due) return;
  ++members.due;
  members.deadline += (job.deadline - members.deadline) / members.due;
  const double weight = priced.counted.tardiness * job.weight;
  members.weight += weight;
  members.weighted_deadline += weight * job.deadline;
}

std::vector<JobClass> classes_of(const PricedWork& priced, const Buckets& buckets) {
  const std::size_t windows = priced.windows.size();
  std::vector<std::vector<int>> like;
  like.reserve(priced.jobs.shapes.size());
  for (const BoundedShape& shape : priced.jobs.shapes) like.push_back(likeness(shape));
  using Key = std::tuple<std::vector<int>, int, SiteId, std::size_t, std::size_t>;
  std::map<Key, JobClass> classes;
  for (const BoundedJob& job : priced.jobs.jobs) {
    const std::size_t first = priced.windows.at(job.ready);
    const bool late =
        priced.counted.tardiness * job.weight > 0 || (job.due && priced.counted.late > 0);
    const std::size_t due =
        late ? 1 + bucket_of(priced.windows.at(job.deadline), windows, buckets.deadlines) : 0;
    const SiteId home = job.gigabytes > 0 ? job.home : kNoSite;
    const auto [found, is_new] =
        classes.try_emplace({like[job.shape], length_of(job, priced.windows), home,
                             bucket_of(first, windows, buckets.submissions), due},
                            JobClass{.first = first, .home = home});
    join(found->second, job, priced);
  }
  std::vector<JobClass> all;
  all.reserve(classes.size());
  for (auto& [key, members] : classes) all.push_back(std::move(members));
  return all;
}

std::size_t columns_of(const std::vector<JobClass>& classes, const PricedWork& priced) {
  std::size_t columns = 0;
  for (const JobClass& members : classes)
    columns += (priced.windows.size() - members.first) * priced.machines.pools.size();
  return columns;
}

std::vector<JobClass> few_classes(const PricedWork& priced, std::size_t most_columns) {
  Buckets buckets;
  auto classes = classes_of(priced, buckets);
  while (columns_of(classes, priced) > most_columns && buckets.submissions > 1) {
    buckets = {buckets.submissions / 2, std::max<std::size_t>(1, buckets.deadlines / 2)};
    classes = classes_of(priced, buckets);
  }
  return classes;
}

/// Shares of classes go to windows and pools; costs are relative to a usual one.
class ShareProgram {
 public:
  ShareProgram(const PricedWork& priced, std::size_t last)
      : priced_(priced),
        last_(last),
        filled_(last + 1,
                std::vector<std::vector<LinearProgram::Term>>(priced.machines.pools.size())) {}

  CapacityPrices prices(const std::vector<JobClass>& classes) {
    set_scale(classes);
    for (const JobClass& members : classes) add(members);
    CapacityPrices prices(last_ + 1, std::vector<double>(priced_.machines.pools.size(), 0.0));
    std::vector<std::pair<std::size_t, std::size_t>> rows;
    for (std::size_t w = 0; w <= last_ && w + 1 < priced_.windows.size(); ++w)
      for (std::size_t p = 0; p < filled_[w].size(); ++p) {
        if (filled_[w][p].empty()) continue;
        program_.add_row(filled_[w][p], -kNoLimit, capacity(w, p));
        rows.emplace_back(w, p);
      }
    const auto answer = solve_relaxed(program_);
    if (!answer) return prices;
    for (std::size_t i = 0; i < rows.size(); ++i)
      prices[rows[i].first][rows[i].second] =
          std::max(0.0, -answer->duals[classes.size() + i]) / scale_;
    return prices;
  }

 private:
  double capacity(std::size_t w, std::size_t pool) const {
    return priced_.machines.pools[pool].gpus * (priced_.windows.end(w) - priced_.windows.begin[w]);
  }

  double cost(const JobClass& members, std::size_t w, const GpuPool& pool) const {
    const Use& use = members.uses[pool.type];
    double cost = cost_on(pool, use, priced_.windows.rates[pool.site][w], priced_.counted);
    if (members.gigabytes > 0)
      cost += members.gigabytes * priced_.sending.cost(members.home, pool.site);
    if (members.due > 0 && priced_.windows.begin[w] >= members.deadline)
      cost += members.due * priced_.counted.late;
    if (members.weight > 0) {
      const double late = priced_.windows.begin[w] - members.weighted_deadline / members.weight;
      cost += members.weight * std::max(0.0, late);
    }
    return cost;
  }

  double most_in(const JobClass& members, std::size_t w) const {
    const double time = priced_.windows.end(w) - priced_.windows.begin[w];
    return time >= members.fastest ? 1 : time / members.fastest;
  }

  void set_scale(const std::vector<JobClass>& classes) {
    double largest = 0;
    for (const JobClass& members : classes)
      for (const GpuPool& pool : priced_.machines.pools)
        for (const std::size_t w : {members.first, std::max(last_, members.first)}) {
          if (!members.uses[pool.type].possible) continue;
          const double all = cost(members, w, pool);
          if (all < kNoLimit) largest = std::max(largest, all);
        }
    scale_ = largest > 0 ? 1e4 / largest : 1;
    too_late_ = 10 * largest;
  }

  /// All of a class is done somewhere; too late at worst, which is for the program alone.
  void add(const JobClass& members) {
    std::vector<LinearProgram::Term> shares;
    for (std::size_t w = members.first; w <= last_; ++w)
      for (std::size_t p = 0; p < priced_.machines.pools.size(); ++p) {
        const GpuPool& pool = priced_.machines.pools[p];
        const Use& use = members.uses[pool.type];
        if (!use.possible) continue;
        const double all = cost(members, w, pool);
        if (all == kNoLimit) continue;
        const int column = program_.add({.cost = all * scale_, .upper = most_in(members, w)});
        shares.push_back({column, 1});
        filled_[w][p].push_back({column, use.gpu_seconds});
      }
    shares.push_back({program_.add({.cost = too_late_ * scale_, .upper = 1}), 1});
    program_.add_row(shares, 1, 1);
  }

  const PricedWork& priced_;
  std::size_t last_;
  double scale_ = 1;
  double too_late_ = 0;
  LinearProgram program_;
  std::vector<std::vector<std::vector<LinearProgram::Term>>> filled_;  ///< by window and pool
};

}  // namespace

CapacityPrices capacity_prices(const PricedWork& priced, std::size_t last,
                               std::size_t most_columns) {
  return ShareProgram(priced, last).prices(few_classes(priced, most_columns));
}

}  // namespace penstock
