#include "solve/windows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <tuple>

#include "solve/linear_program.h"

namespace penstock {
namespace {

/// Windows begin with whole milliseconds, just as prices change.
double in_milliseconds(double s) {
  return std::round(s * 1e3) / 1e3;
}

/// Windows begin at full hours, as prices do, so far as they are not shorter.
double since_full_hour(Time start, double width) {
  const double since =
      std::fmod(seconds(start.time_since_epoch()), std::min(width, kSecondsPerHour));
  return since < 0 ? since + std::min(width, kSecondsPerHour) : since;
}

/// Where the first series ends that may not be extended, or the longest run, if that is after the
/// earliest end.
double latest_end(const BoundedWorld& world, double makespan, const BoundSettings& settings) {
  double end = settings.longest ? seconds(*settings.longest) : kEndlessTime;
  for (const SiteSignals& site : world.signals)
    if (site.known_until) end = std::min(end, seconds(*site.known_until - world.start));
  return std::max(end, makespan);
}

/// The least cost of a joule in each window.
void find_rates(TimeWindows& windows, std::span<const StepRate> rates, double floor) {
  for (const StepRate& rate : rates) {
    windows.rates.emplace_back();
    for (std::size_t w = 0; w < windows.size(); ++w)
      windows.rates.back().push_back(
          std::max(floor, rate.least_rate(windows.begin[w], windows.end(w))));
  }
}

}  // namespace

double TimeWindows::end(std::size_t window) const {
  return window + 1 < begin.size() ? begin[window + 1] : known_until;
}

std::size_t TimeWindows::at(double when) const {
  const auto after = std::ranges::upper_bound(begin, when);
  return after == begin.begin() ? 0 : static_cast<std::size_t>(after - begin.begin()) - 1;
}

TimeWindows windows_of(const BoundedWorld& world, std::span<const StepRate> rates, double makespan,
                       const BoundSettings& settings, double floor) {
  constexpr double kAhead = 2.5;  // runs that last longer than that are all alike
  const double least = std::max(1e-3, seconds(settings.window));
  const double horizon = makespan * kAhead + least;
  const double wanted = horizon / static_cast<double>(settings.most_windows);
  const double width = std::ceil(std::max(1.0, wanted / least)) * least;
  TimeWindows windows{.known_until = latest_end(world, makespan, settings)};
  windows.begin.push_back(0);
  for (double at = width - since_full_hour(world.start, width);
       at < std::min(horizon, windows.known_until); at += width)
    windows.begin.push_back(in_milliseconds(at));
  find_rates(windows, rates, floor);
  windows.earliest_last = static_cast<std::uint32_t>(windows.at(makespan));
  return windows;
}

namespace {

/// Where to cut a window into two: in its middle, or at the full hour next to it.
double middle_of(double from, double to, double full_hour) {
  const double middle = (from + to) / 2;
  if (to - from <= kSecondsPerHour * (1 + 1e-9)) return in_milliseconds(middle);
  const double hours = std::round((middle - full_hour) / kSecondsPerHour);
  return in_milliseconds(full_hour + hours * kSecondsPerHour);
}

/// Money at stake, for lack of knowing more, is spread evenly over a window.
struct WindowPart {
  double stake = 0;
  double from = 0;
  double to = 0;
  std::size_t of = 0;  ///< number of the window

  bool operator<(const WindowPart& other) const {
    return std::pair(stake, other.from) < std::pair(other.stake, from);
  }
  bool can_be_cut(double middle) const {
    constexpr double kShortest = 1;
    return stake > 0 && std::isfinite(to) && middle - from >= kShortest && to - middle >= kShortest;
  }
};

}  // namespace

DividedWindows divided(const WindowsToDivide& given, const BoundedWorld& world,
                       std::span<const StepRate> rates, double floor) {
  const double full_hour = -since_full_hour(world.start, kSecondsPerHour);
  std::priority_queue<WindowPart> open;
  std::vector<WindowPart> done;
  for (std::size_t w = 0; w < given.windows.size(); ++w)
    open.push({given.stakes[w], given.windows.begin[w], given.windows.end(w), w});
  while (!open.empty()) {
    const WindowPart part = open.top();
    open.pop();
    const double middle = middle_of(part.from, part.to, full_hour);
    if (open.size() + done.size() + 2 > given.most || !part.can_be_cut(middle)) {
      done.push_back(part);
      continue;
    }
    const double share = (middle - part.from) / (part.to - part.from);
    open.push({part.stake * share, part.from, middle, part.of});
    open.push({part.stake * (1 - share), middle, part.to, part.of});
  }
  std::ranges::sort(done, {}, &WindowPart::from);
  DividedWindows finer{.windows = {.known_until = given.windows.known_until}};
  for (const WindowPart& part : done) {
    finer.windows.begin.push_back(part.from);
    finer.parts_of.push_back(part.of);
  }
  find_rates(finer.windows, rates, floor);
  return finer;
}

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
    const bool known = use.possible && use.gpu_seconds > 0 && use.joules > 0;
    like.push_back(known ? static_cast<int>(std::lround(std::log2(use.joules / use.gpu_seconds)))
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
    if (!can_be(job) || priced_.weights.late <= 0) return false;
    double cost = 0;
    for (const GpuPool& pool : priced_.machines.pools) {
      const Use& use = priced_.jobs.shapes[job.shape].uses[pool.type];
      if (use.possible)
        cost = std::max(cost, job.work * cost_on(pool, use, dearest_, priced_.weights));
    }
    return cost <= priced_.weights.late;
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
  const bool counts = priced.weights.tardiness * job.weight > 0 ||
                      (priced.weights.late > 0 && Punctual::can_be(job));
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
  members.holdings.resize(members.uses.size());
  for (std::size_t i = 0; i < members.uses.size(); ++i) {
    const Use& use = priced.jobs.shapes[job.shape].uses[i];
    const double gpus = use.possible ? use.most_gpus * job.width : 0;
    members.holdings[i].gpus += gpus;
    members.holdings[i].watts += gpus * use.most_watts;
  }
  members.gpu_seconds += job.gpu_seconds;
  if (members.gpu_seconds > 0)
    members.fastest += (job.fastest - members.fastest) * job.gpu_seconds / members.gpu_seconds;
  members.gigabytes += job.gigabytes;
  if (Punctual::can_be(job)) {
    members.late += priced.weights.late;
    ++members.due;
    members.deadline += (job.deadline - members.deadline) / members.due;
  }
  const double weight = priced.weights.tardiness * job.weight;
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

namespace {

/// Shares of classes go to windows and pools; costs are relative to a usual one.
class ShareProgram {
 public:
  ShareProgram(const PricedWork& priced, std::size_t last)
      : priced_(priced),
        last_(last),
        filled_(last + 1,
                std::vector<std::vector<LinearProgram::Term>>(priced.machines.pools.size())) {
    for (const auto& rates : priced.windows.rates) least_rates_.push_back(std::ranges::min(rates));
  }

  CapacityPrices prices(const std::vector<JobClass>& classes) {
    set_scale(classes);
    for (const JobClass& members : classes) add(members);
    CapacityPrices prices(last_ + 1, std::vector<double>(priced_.machines.pools.size(), 0.0));
    std::vector<std::pair<std::size_t, std::size_t>> rows;
    for (std::size_t w = 0; w <= last_ && std::isfinite(priced_.windows.end(w)); ++w)
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

  /// Energy and files, where a joule comes to `rate`.
  double bare_cost(const JobClass& members, double rate, const GpuPool& pool) const {
    double cost = cost_on(pool, members.uses[pool.type], rate, priced_.weights);
    if (members.gigabytes > 0 && members.home != kNoSite)
      cost += members.gigabytes * priced_.sending.cost(members.home, pool.site);
    return cost;
  }

  double cost(const JobClass& members, std::size_t w, const GpuPool& pool) const {
    double cost = bare_cost(members, priced_.windows.rates[pool.site][w], pool);
    if (members.late > 0 && priced_.windows.begin[w] >= members.deadline) cost += members.late;
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

  /// At the best time there is.
  double at_best(const JobClass& members) const {
    double least = kNoLimit;
    for (const GpuPool& pool : priced_.machines.pools)
      if (members.uses[pool.type].possible)
        least = std::min(least, bare_cost(members, least_rates_[pool.site], pool));
    return least;
  }

  void set_scale(const std::vector<JobClass>& classes) {
    double largest = 0;
    for (const JobClass& members : classes)
      for (const GpuPool& pool : priced_.machines.pools)
        for (const std::size_t w : {members.first, std::max(last_, members.first)}) {
          if (!members.uses[pool.type].possible) continue;
          const double all = cost(members, w, pool);
          if (all < kNoLimit) largest = std::max(largest, std::abs(all));
        }
    scale_ = largest > 0 ? 1e4 / largest : 1;
    too_late_ = 10 * largest;
  }

  /// All of a class is done somewhere; too late at worst, at a cost that is for the program alone
  /// unless that is what counts.
  void add(const JobClass& members) {
    std::vector<LinearProgram::Term> shares;
    for (std::size_t w = members.first; w <= std::min(last_, members.last); ++w)
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
    const bool punctual = members.last + 1 < priced_.windows.size();
    const double otherwise = punctual ? members.late + at_best(members) : too_late_;
    shares.push_back({program_.add({.cost = otherwise * scale_, .upper = 1}), 1});
    program_.add_row(shares, 1, 1);
    if (!priced_.wastes_once()) add_holding(members);
  }

  /// GPUs may be held without working where that earns something, as long as no job is late.
  void add_holding(const JobClass& members) {
    for (std::size_t w = members.first; w <= last_ && std::isfinite(priced_.windows.end(w)); ++w)
      for (std::size_t p = 0; p < priced_.machines.pools.size(); ++p) {
        const double cost = holding_cost(members, w, priced_.machines.pools[p]);
        if (cost >= 0) continue;
        const double length = priced_.windows.end(w) - priced_.windows.begin[w];
        const double gpus = members.holdings[priced_.machines.pools[p].type].gpus;
        const int column = program_.add({.cost = cost * length * scale_, .upper = 1});
        filled_[w][p].push_back({column, gpus * length});
      }
  }

  /// Money a second; below 0 where it earns something.
  double holding_cost(const JobClass& members, std::size_t w, const GpuPool& pool) const {
    const Holding& most = members.holdings[pool.type];
    const double rate = priced_.windows.rates[pool.site][w];
    if (rate >= 0 || most.gpus <= 0) return 0;
    const double watts =
        pool.own_draw ? most.watts - most.gpus * pool.idle_watts : most.gpus * pool.most_node_watts;
    const bool late = members.weight > 0 &&
                      priced_.windows.begin[w] >= members.weighted_deadline / members.weight;
    return rate * watts + (late ? members.weight : 0);
  }

  const PricedWork& priced_;
  std::size_t last_;
  std::vector<double> least_rates_;  ///< by site
  double scale_ = 1;
  double too_late_ = 0;
  LinearProgram program_;
  std::vector<std::vector<std::vector<LinearProgram::Term>>> filled_;  ///< by window and pool
};

}  // namespace

CapacityPrices capacity_prices(const PricedWork& priced, std::size_t last,
                               std::size_t most_columns) {
  return ShareProgram(priced, last).prices(job_classes(priced, most_columns));
}

}  // namespace penstock
