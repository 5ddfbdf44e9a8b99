#include "io/traces/andreas_draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "io/traces/arrange.h"
#include "io/traces/rows.h"

namespace penstock {
namespace {

constexpr std::uint64_t kBlock = 10;         // jobs of one rate, when rates are mixed
constexpr double kLowBy = 4;                 // how much rarer jobs come at the low rate
constexpr std::uint32_t kPeriodOfGaps = 10;  // mean gaps in a period of Poisson arrivals
constexpr double kDeadlineBy = 3;            // the latest, in times of the fastest way

/// How often a job comes for each that the cluster could do in the same time.
double high_rate(AndreasRates rates) {
  return rates == AndreasRates::server ? 1.7 : 1.3 / 3;
}

/// Knuth's way, for small means.
std::uint32_t poisson(double mean, Rng& rng) {
  const double limit = std::exp(-mean);
  std::uint32_t count = 0;
  for (double product = rng.uniform(); product > limit; product *= rng.uniform()) ++count;
  return count;
}

/// The instants of `count` arrivals after the beginning, in seconds.
std::vector<double> poisson_arrivals(double mean_gap, std::uint64_t count, Rng rng) {
  const double period = mean_gap * kPeriodOfGaps;
  std::vector<double> instants;
  for (double begin = 0; instants.size() < count; begin += period) {
    const std::size_t first = instants.size();
    const std::uint32_t more = poisson(kPeriodOfGaps, rng);
    for (std::uint32_t i = 0; i < more; ++i) instants.push_back(begin + period * rng.uniform());
    std::sort(instants.begin() + static_cast<std::ptrdiff_t>(first), instants.end());
  }
  instants.resize(count);
  return instants;
}

/// A job that can be drawn.
struct AndreasCandidate {
  const AndreasJob* job = nullptr;
  const AndreasFit* fit = nullptr;
};

class AndreasSampler {
 public:
  AndreasSampler(const AndreasSpec& spec, const Cluster& cluster, std::uint64_t seed)
      : spec_(spec),
        cluster_(cluster),
        jobs_(Rng(seed).stream("andreas").stream("jobs")),
        gaps_(Rng(seed).stream("andreas").stream("arrivals")),
        deadlines_(Rng(seed).stream("andreas").stream("deadlines")),
        weights_(Rng(seed).stream("andreas").stream("weights")),
        epochs_(Rng(seed).stream("andreas").stream("epochs")),
        sizes_(Rng(seed).stream("andreas").stream("sizes")) {
    for (const AndreasKind& kind : spec.table.kinds) fits_.push_back(fit_to_cluster(kind, cluster));
    for (const AndreasJob& job : spec.table.jobs)
      if (fits_[job.kind].runs()) candidates_.push_back({&job, &fits_[job.kind]});
  }

  std::size_t candidates() const { return candidates_.size(); }

  void draw(std::uint64_t count, std::vector<TracedJob>& jobs) {
    const double mean = mean_gap();
    const bool by_periods = spec_.arrivals == AndreasArrivals::poisson;
    const auto instants =
        by_periods ? poisson_arrivals(mean, count - 1, gaps_) : std::vector<double>{};
    double now = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const AndreasCandidate& drawn = candidates_[jobs_.below(candidates_.size())];
      const double epochs = drawn.job->epochs * draw_size();
      const double single = drawn.fit->single * epochs;
      if (i > 0 && by_periods) now = instants[i - 1];
      if (i > 0 && !by_periods)
        now += has_random_gaps() ? gaps_.exponential(mean)
                                 : regular_gap(spec_, cluster_, single, i - 1);
      jobs.push_back(job_of(drawn, epochs, now));
      jobs.back().job.name = fmt::format("{}-{}", drawn.job->name, i);
      if (!spec_.families.empty()) draw_epochs(jobs.back(), drawn.job->kind, i);
    }
  }

 private:
  bool has_random_gaps() const {
    return spec_.arrivals == AndreasArrivals::exponential ||
           spec_.arrivals == AndreasArrivals::by_load;
  }

  double mean_gap() const {
    if (spec_.arrivals != AndreasArrivals::by_load)
      return seconds(spec_.mean) / static_cast<double>(cluster_.nodes.size());
    double busy = 0;
    for (const AndreasCandidate& each : candidates_)
      busy += busy_time(*each.fit, cluster_) * each.job->epochs;
    return busy / (spec_.load * static_cast<double>(candidates_.size()));
  }

  /// Epochs of a job by those that the table states.
  double draw_size() {
    if (spec_.size_sigma == 0) return 1;
    return std::exp(sizes_.normal(-spec_.size_sigma * spec_.size_sigma / 2, spec_.size_sigma));
  }

  /// The earliest and the latest deadline after submission.
  std::pair<double, double> deadline_range(const AndreasFit& fit, double epochs) const {
    const double least = fit.least * epochs;
    if (const auto& slack = spec_.deadline_slack)
      return {slack->first * least, slack->second * least};
    double most = kDeadlineBy * least;
    if (spec_.rates == AndreasRates::server) most = std::min(most, fit.most * epochs);
    return {least, most};
  }

  TracedJob job_of(const AndreasCandidate& drawn, double epochs, double now) {
    TracedJob traced;
    Job& job = traced.job;
    job.kind = spec_.table.kinds[drawn.job->kind].name;
    job.submitted = Time(round_duration(now));
    job.gpus = drawn.fit->gpus;
    traced.actual = std::max(Duration(1), round_duration(drawn.fit->asked * epochs));
    for (const GpuTypeId type : drawn.fit->types)
      traced.gpu_spec += (traced.gpu_spec.empty() ? "" : "|") + cluster_.types[type.index].name;
    const auto [least, most] = deadline_range(*drawn.fit, epochs);
    job.deadline = job.submitted + round_duration(least + (most - least) * deadlines_.uniform());
    const auto [low, high] = spec_.weights;
    const double weight = low + (high - low) * weights_.uniform();
    job.tardiness_weight = MoneyRate(weight);
    job.priority = priority_of(weight, spec_.weights);
    return traced;
  }

  /// The user asks for all the epochs he states.
  void draw_epochs(TracedJob& traced, std::size_t kind, std::uint64_t index) const {
    const std::size_t family = spec_.family[kind];
    const double needed = spec_.families[family].needed.reached(epochs_.stream(index).uniform());
    traced.job.epochs = EpochsId{static_cast<std::uint32_t>(family)};
    traced.job.requested = traced.actual;
    traced.actual = std::max(Duration(1), round_duration(seconds(traced.actual) * needed));
  }

  const AndreasSpec& spec_;
  const Cluster& cluster_;
  Rng jobs_;
  Rng gaps_;
  Rng deadlines_;
  Rng weights_;
  Rng epochs_;
  Rng sizes_;
  std::vector<AndreasFit> fits_;  ///< by kind
  std::vector<AndreasCandidate> candidates_;
};

}  // namespace

std::pair<double, double> usual_weights(AndreasRates rates) {
  if (rates == AndreasRates::server) return {0.000253709514, 0.000443991650};
  return {2 * 0.0015, 2 * 0.0075};
}

double regular_gap(const AndreasSpec& spec, const Cluster& cluster, double single,
                   std::uint64_t index) {
  std::uint32_t most_gpus = 1;
  for (const Node& node : cluster.nodes) most_gpus = std::max(most_gpus, node.gpus / cluster.share);
  const double gap =
      single / (high_rate(spec.rates) * static_cast<double>(cluster.nodes.size()) * most_gpus);
  const bool low = spec.arrivals == AndreasArrivals::low ||
                   (spec.arrivals == AndreasArrivals::mixed && index / kBlock % 2 == 1);
  return low ? kLowBy * gap : gap;
}

double busy_time(const AndreasFit& fit, const Cluster& cluster) {
  double epochs_a_second = 0;
  for (const Node& node : cluster.nodes) {
    const auto type = std::ranges::find(fit.types, node.type);
    if (type == fit.types.end()) continue;
    const std::uint32_t gpus = node.gpus / cluster.share;
    epochs_a_second += gpus / fit.thriftiest[static_cast<std::size_t>(type - fit.types.begin())];
  }
  return 1 / epochs_a_second;
}

double priority_of(double weight, const std::pair<double, double>& range) {
  const auto [low, high] = range;
  if (!(high > low)) return 3;
  return std::clamp(1 + std::floor(5 * (weight - low) / (high - low)), 1.0, 5.0);
}

Result<Trace> draw_andreas(const AndreasSpec& spec, const Cluster& cluster,
                           const TraceOptions& options) {
  TraceRows rows(spec.table.file, true);
  rows.report().format = "andreas";
  rows.unit("seconds", "the format defines it");
  AndreasSampler sampler(spec, cluster, options.seed);
  if (sampler.candidates() == 0)
    return Error{spec.table.file + ": has no application that the cluster can run"};
  for (const std::string& note : spec.table.notes) rows.note(note);
  if (sampler.candidates() < spec.table.jobs.size())
    rows.note(fmt::format("{} of {} applications have no time on any machine of the cluster",
                          spec.table.jobs.size() - sampler.candidates(), spec.table.jobs.size()));
  const std::uint64_t all = spec.jobs_per_node * cluster.nodes.size() + 1;
  sampler.draw(std::min(all, options.skip + options.limit.value_or(all)), rows.jobs());
  rows.report().rows_read = rows.jobs().size();
  return arrange(std::move(rows), options);
}

}  // namespace penstock
