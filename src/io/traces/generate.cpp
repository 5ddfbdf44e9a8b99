#include "io/traces/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"

namespace penstock {
namespace {

constexpr double kDayMs = 86'400'000;
constexpr double kBusiest = 15.0 / 24;                // of the day
constexpr double kLongestMs = 10'000.0 * 86'400'000;  // no drawn job runs for longer
constexpr double kMostFactor = 1e6;                   // of a run time
constexpr std::size_t kMostBins = 4096;

double milliseconds(Duration d) {
  return static_cast<double>(d.count());
}

/// Relative rate of diurnal arrivals, 1 on average over a day.
double rate_at(double since_epoch, double swing) {
  const double phase = since_epoch / kDayMs - kBusiest;
  return 1 + swing * std::cos(2 * std::numbers::pi * phase);
}

void check_durations(const GeneratorSpec& spec, std::string& wrong) {
  if (const auto* normal = std::get_if<LogNormalDurations>(&spec.durations)) {
    if (normal->median <= Duration::zero()) wrong += "median: must be positive\n";
    if (!(normal->sigma >= 0 && normal->sigma <= 10)) wrong += "sigma: must be between 0 and 10\n";
  } else if (std::get<FittedDurations>(spec.durations).bins.empty()) {
    wrong += "durations: fitted to a trace without jobs\n";
  }
}

void check_sizes(const GeneratorSpec& spec, std::string& wrong) {
  double sum = 0;
  for (const auto& size : spec.sizes) {
    if (size.gpus == 0) wrong += "sizes: a job needs at least one GPU\n";
    if (!(size.weight >= 0 && size.weight < 1e9)) wrong += "sizes: a weight must not be negative\n";
    sum += size.weight;
  }
  if (!(sum > 0)) wrong += "sizes: the weights sum to nothing\n";
}

void check_deadlines(const GeneratorSpec& spec, std::string& wrong) {
  if (spec.deadline_slack && !(spec.deadline_slack->first >= 0 &&
                               spec.deadline_slack->second >= spec.deadline_slack->first &&
                               spec.deadline_slack->second <= kMostFactor))
    wrong += "deadline_slack: must be a range of numbers between 0 and 1000000\n";
  if (!(spec.tardiness_per_s >= 0 && spec.tardiness_per_s <= kMostFactor))
    wrong += "tardiness_per_s: must be between 0 and 1000000\n";
}

}  // namespace

Result<Arrivals> parse_arrivals(std::string_view name) {
  if (name == "poisson" || name == "exponential") return Arrivals::poisson;
  if (name == "diurnal") return Arrivals::diurnal;
  if (name == "uniform") return Arrivals::uniform;
  return Error{"no arrivals '" + std::string(name) +
               "'; there are: poisson exponential diurnal uniform"};
}

FittedDurations fit_durations(const Trace& trace) {
  std::vector<Duration> all;
  all.reserve(trace.jobs.size());
  for (const auto& traced : trace.jobs) all.push_back(traced.actual);
  std::ranges::sort(all);
  FittedDurations fitted;
  const std::size_t bins = std::min(all.size(), kMostBins);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = bin * all.size() / bins;
    const std::size_t end = (bin + 1) * all.size() / bins;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += milliseconds(all[i]);
    fitted.bins.emplace_back(std::llround(sum / static_cast<double>(end - begin)));
  }
  return fitted;
}

Result<Done> check(const GeneratorSpec& spec) {
  std::string wrong;
  if (spec.skip > std::numeric_limits<std::uint32_t>::max())
    wrong += "skip: must be at most 4294967295\n";
  if (spec.lublin_machine && (*spec.lublin_machine < LublinModel::kLeastMachine ||
                              *spec.lublin_machine > LublinModel::kMostMachine))
    wrong += fmt::format("machine: must be between {} and {}\n", LublinModel::kLeastMachine,
                         LublinModel::kMostMachine);
  if (spec.jobs == 0 || spec.jobs > std::numeric_limits<std::uint32_t>::max())
    wrong += "jobs: must be between 1 and 4294967295\n";
  if (spec.start < Time{}) wrong += "start: lies before 1970\n";
  if (spec.mean_gap <= Duration::zero()) wrong += "mean_gap: must be positive\n";
  if (!(spec.swing >= 0 && spec.swing <= 1)) wrong += "swing: must be between 0 and 1\n";
  if (!(spec.request_factor >= 1 && spec.request_factor <= kMostFactor))
    wrong += "request_factor: must be between 1 and 1000000\n";
  check_deadlines(spec, wrong);
  check_durations(spec, wrong);
  check_sizes(spec, wrong);
  if (wrong.empty()) return Done{};
  wrong.pop_back();
  return Error{wrong};
}

GeneratedSource::GeneratedSource(GeneratorSpec spec)
    : spec_(std::move(spec)),
      gaps_(Rng(spec_.seed).stream("arrivals")),
      lengths_(Rng(spec_.seed).stream("durations")),
      sizes_(Rng(spec_.seed).stream("sizes")),
      slacks_(Rng(spec_.seed).stream("deadlines")),
      requests_(Rng(spec_.seed).stream("requests")) {
  PENSTOCK_CHECK(check(spec_));
  for (const auto& size : spec_.sizes) weights_ += size.weight;
  if (!spec_.lublin_machine) return;
  lublin_.emplace(*spec_.lublin_machine);
  stretch_ = seconds(spec_.mean_gap) / LublinModel::mean_gap();
}

/// Diurnal arrivals by thinning (Lewis and Shedler 1979).
void GeneratedSource::advance() {
  const double mean = milliseconds(spec_.mean_gap);
  const double start = milliseconds(spec_.start.time_since_epoch());
  if (lublin_) {
    const double gap = stretch_ * LublinModel::draw_gap(gaps_);
    elapsed_ = lublin_->end_of_gap((start + elapsed_) / 1000, gap) * 1000 - start;
  } else if (spec_.arrivals == Arrivals::uniform) {
    elapsed_ += 2 * mean * gaps_.uniform();
  } else if (spec_.arrivals == Arrivals::poisson) {
    elapsed_ += gaps_.exponential(mean);
  } else {
    const double highest = 1 + spec_.swing;
    do {
      elapsed_ += gaps_.exponential(mean / highest);
    } while (gaps_.uniform() * highest > rate_at(start + elapsed_, spec_.swing));
  }
}

Duration GeneratedSource::draw_duration(std::uint32_t gpus) {
  if (lublin_)
    return std::max(Duration(1), round_duration(LublinModel::draw_run_time(gpus, lengths_)));
  if (const auto* fitted = std::get_if<FittedDurations>(&spec_.durations))
    return std::max(Duration(1), fitted->bins[lengths_.below(fitted->bins.size())]);
  const auto& normal = std::get<LogNormalDurations>(spec_.durations);
  const double drawn = milliseconds(normal.median) * std::exp(lengths_.normal(0, normal.sigma));
  return Duration(std::llround(std::clamp(drawn, 1.0, kLongestMs)));
}

std::uint32_t GeneratedSource::draw_size() {
  if (lublin_) return lublin_->draw_size(sizes_);
  double left = sizes_.uniform() * weights_;
  for (const auto& size : spec_.sizes) {
    left -= size.weight;
    if (left < 0) return size.gpus;
  }
  return spec_.sizes.back().gpus;
}

std::optional<TracedJob> GeneratedSource::next() {
  while (made_ < spec_.skip) draw();
  if (made_ == spec_.skip + spec_.jobs) return std::nullopt;
  TracedJob traced = draw();
  traced.job.id = JobId{static_cast<std::uint32_t>(made_ - 1 - spec_.skip)};
  return traced;
}

TracedJob GeneratedSource::draw() {
  TracedJob traced;
  traced.job.name = std::to_string(made_);
  if (made_ > 0) advance();
  ++made_;
  traced.job.submitted = spec_.start + Duration(std::llround(elapsed_));
  traced.job.gpus = draw_size();
  traced.actual = draw_duration(traced.job.gpus);
  const double stretch = 1 + requests_.uniform() * (spec_.request_factor - 1);
  traced.job.requested = ceil_duration(seconds(traced.actual) * stretch);
  if (spec_.deadline_slack) {
    const auto [low, high] = *spec_.deadline_slack;
    const double slack = low + slacks_.uniform() * (high - low);
    traced.job.deadline = traced.job.submitted + round_duration(seconds(traced.actual) * slack);
    traced.job.tardiness_weight = MoneyRate(spec_.tardiness_per_s);
  }
  return traced;
}

Trace generate(const GeneratorSpec& spec) {
  Trace trace;
  trace.report.file = "generated";
  trace.report.format = "generated";
  trace.report.time_unit = "seconds";
  trace.report.time_unit_reason = "it was made here";
  trace.report.dated = true;
  GeneratedSource source(spec);
  while (auto traced = source.next()) trace.jobs.push_back(*std::move(traced));
  trace.report.rows_read = trace.jobs.size();
  trace.report.rows_kept = trace.jobs.size();
  return trace;
}

}  // namespace penstock
