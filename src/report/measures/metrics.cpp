#include "report/measures/metrics.h"

#include <algorithm>
#include <cmath>

namespace penstock {

// Measures of a run

namespace {

constexpr Duration kShortestRun = std::chrono::seconds(10);

/// Nothing where the divisor is zero: such a ratio is undefined.
std::optional<double> ratio(double a, double b) {
  if (b == 0) return std::nullopt;
  return a / b;
}

std::optional<double> scaled(std::optional<std::int64_t> value, double unit) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value) / unit;
}

/// How far a prediction was from what came of it.
std::optional<double> relative_error(Money predicted, Money paid) {
  return ratio(std::abs((predicted - paid).value()), std::abs(predicted.value()));
}

double kilograms(GramsCo2 mass) {
  return mass.value() / 1e3;
}

SiteSummary summarise(const SiteTotals& site, double busy_gpu_seconds, double makespan_s) {
  const Bill total = site.jobs + site.idle + site.overhead;
  const std::optional<double> rent = site.rents ? std::optional(total.rent.value()) : std::nullopt;
  return {.name = site.name,
          .nodes = site.nodes,
          .gpus = site.gpus,
          .gpu_utilization = ratio(busy_gpu_seconds, site.gpus * makespan_s),
          .energy_kwh = kilowatt_hours(total.energy + site.sent.energy),
          .energy_jobs_kwh = kilowatt_hours(site.jobs.energy),
          .energy_idle_kwh = kilowatt_hours(site.idle.energy),
          .energy_overhead_kwh = kilowatt_hours(site.overhead.energy),
          .energy_cost = total.cost.value(),
          .rent_cost = rent,
          .carbon_kg = kilograms(total.carbon + site.sent.carbon),
          .transfer_gb = site.sent.gigabytes,
          .transfer_kwh = kilowatt_hours(site.sent.energy),
          .transfer_carbon_kg = kilograms(site.sent.carbon),
          .transfer_cost = site.sent.money().value(),
          .carbon_kind = site.carbon_kind,
          .first_gpu = site.first_gpu,
          .node_runs = site.node_runs};
}

void fill_costs(RunSummary& run, const RunTotals& totals) {
  Bill all;
  Joules idle;
  TransferBill sent;
  for (const SiteTotals& site : totals.sites) {
    sent += site.sent;
    all += site.jobs + site.idle + site.overhead;
    idle += site.idle.energy;
  }
  run.energy_kwh = kilowatt_hours(all.energy + sent.energy);
  if (totals.energy_budget)
    run.energy_budget_use = *run.energy_kwh / kilowatt_hours(*totals.energy_budget);
  run.energy_idle_kwh = kilowatt_hours(idle);
  run.energy_cost = all.cost.value();
  if (std::ranges::any_of(totals.sites, &SiteTotals::rents)) run.rent_cost = all.rent.value();
  run.carbon_kg = kilograms(all.carbon + sent.carbon);
  if (totals.carbon_price_per_tonne)
    run.carbon_cost = *run.carbon_kg / 1e3 * totals.carbon_price_per_tonne->value();
  run.transfers = sent.count;
  run.transfer_gb = sent.gigabytes;
  run.transfer_kwh = kilowatt_hours(sent.energy);
  run.transfer_carbon_kg = kilograms(sent.carbon);
  run.transfer_cost = sent.money().value();
  run.total_cost = *run.energy_cost + run.rent_cost.value_or(0) + run.carbon_cost.value_or(0) +
                   run.tardiness_cost.value_or(0) + *run.transfer_cost;
}

void fill_counts(RunSummary& run, const RunTotals& totals) {
  run.jobs_submitted = static_cast<double>(totals.jobs_submitted);
  run.resizes = static_cast<double>(totals.resizes);
  run.migrations = static_cast<double>(totals.migrations);
  run.node_sleeps = static_cast<double>(totals.node_sleeps);
  run.decisions = static_cast<double>(totals.decisions);
  run.events = static_cast<double>(totals.events);
}

void fill_measured(RunSummary& run, const RunTotals& totals) {
  if (const auto mean = totals.decision_ns.mean()) run.decision_mean_us = *mean / 1e3;
  run.decision_p99_us = scaled(totals.decision_ns.percentile(99), 1e3);
  run.wall_s = totals.wall_s;
  if (totals.wall_s) run.jobs_per_s = ratio(run.jobs_finished.value_or(0), *totals.wall_s);
  run.peak_rss_mb = totals.peak_rss_mb;
}

}  // namespace

double bounded_slowdown(Duration turnaround, Duration held) {
  return std::max(1.0, seconds(turnaround) / seconds(std::max(held, kShortestRun)));
}

std::optional<Duration> tardiness(const JobRecord& record) {
  if (!record.job.deadline) return std::nullopt;
  return std::max(Duration::zero(), record.finish - *record.job.deadline);
}

void Metrics::WeighedMean::add(double value, double weight) {
  weights += weight;
  sum += weight * value;
}

void Metrics::add(const JobRecord& record) {
  const Duration turnaround = record.finish - record.job.submitted;
  completion_.add(turnaround.count());
  waited_ += record.first_start - record.job.submitted;
  const double slowdown = bounded_slowdown(turnaround, record.held);
  slowdowns_ += slowdown;
  by_cost_.add(slowdown, std::max(0.0, (record.bill.cost + record.bill.rent).value()));
  by_gpu_time_.add(slowdown, gpu_count(record.where) * seconds(record.held));
  add_to_group(record);
  last_finish_ = std::max(last_finish_.value_or(record.finish), record.finish);
  killed_ += record.outcome == Outcome::killed ? 1 : 0;
  preemptions_ += record.preemptions;
  interruptions_ += record.interruptions;

  if (record.site.index >= busy_gpu_ms_.size()) busy_gpu_ms_.resize(record.site.index + 1);
  busy_gpu_ms_[record.site.index] +=
      gpu_count(record.where) * static_cast<std::uint64_t>(record.held.count());

  if (const auto late = tardiness(record)) {
    ++with_deadline_;
    misses_ += *late > Duration::zero() ? 1 : 0;
    tardiness_ += *late;
    tardiness_cost_ += record.job.tardiness_weight * *late;
  }
  if (record.predicted) add_prediction(*record.predicted, record.bill.cost + record.bill.rent);
}

void Metrics::add_to_group(const JobRecord& record) {
  if (record.job.group.empty()) return;
  auto found = groups_.find(record.job.group);
  if (found == groups_.end())
    found = groups_.emplace(record.job.group, GroupSpan{record.job.submitted, record.finish}).first;
  GroupSpan& span = found->second;
  span.first_submission = std::min(span.first_submission, record.job.submitted);
  span.last_finish = std::max(span.last_finish, record.finish);
  span.is_workflow = span.is_workflow || !record.job.parents.empty();
}

void Metrics::add_prediction(Money predicted, Money paid) {
  predicted_ = predicted_.value_or(Money{}) + predicted;
  paid_ += paid;
  if (const auto error = relative_error(predicted, paid)) {
    prediction_errors_ += *error;
    ++with_prediction_error_;
  }
}

RunSummary Metrics::summary(const RunTotals& totals) const {
  RunSummary run;
  run.policy = totals.policy;
  run.options = totals.options;
  run.time_origin = totals.first_submission;
  fill_counts(run, totals);
  fill_times(run, totals);
  fill_deadlines(run);
  fill_workflows(run);
  fill_predictions(run);
  fill_costs(run, totals);
  fill_measured(run, totals);
  return run;
}

void Metrics::fill_times(RunSummary& run, const RunTotals& totals) const {
  const auto finished = static_cast<double>(completion_.count());
  run.jobs_finished = finished;
  if (run.jobs_submitted) run.jobs_unfinished = *run.jobs_submitted - finished;
  run.jobs_killed = static_cast<double>(killed_);
  run.preemptions = static_cast<double>(preemptions_);
  run.interruptions = static_cast<double>(interruptions_);
  if (const auto mean = completion_.mean()) run.jct_mean_s = *mean / 1e3;
  run.jct_p50_s = scaled(completion_.percentile(50), 1e3);
  run.jct_p95_s = scaled(completion_.percentile(95), 1e3);
  run.jct_p99_s = scaled(completion_.percentile(99), 1e3);
  run.wait_mean_s = ratio(seconds(waited_), finished);
  run.bounded_slowdown_mean = ratio(slowdowns_, finished);
  const WeighedMean& weighed = by_cost_.weights > 0 ? by_cost_ : by_gpu_time_;
  run.cost_slowdown_mean = ratio(weighed.sum, weighed.weights);
  if (last_finish_ && totals.first_submission)
    run.makespan_s = seconds(*last_finish_ - *totals.first_submission);

  const double makespan = run.makespan_s.value_or(0);
  double busy = 0;
  double gpus = 0;
  for (std::size_t i = 0; i < totals.sites.size(); ++i) {
    const double here = busy_gpu_seconds(totals, i);
    run.sites.push_back(summarise(totals.sites[i], here, makespan));
    busy += here;
    gpus += totals.sites[i].gpus;
  }
  run.gpu_utilization = ratio(busy, gpus * makespan);
}

double Metrics::busy_gpu_seconds(const RunTotals& totals, std::size_t site) const {
  if (const auto& measured = totals.sites[site].busy_gpu_seconds) return *measured;
  return site < busy_gpu_ms_.size() ? static_cast<double>(busy_gpu_ms_[site]) / 1e3 : 0;
}

void Metrics::fill_deadlines(RunSummary& run) const {
  if (with_deadline_ == 0) return;
  run.tardiness_mean_s = seconds(tardiness_) / static_cast<double>(with_deadline_);
  run.tardiness_cost = tardiness_cost_.value();
  run.deadline_misses = static_cast<double>(misses_);
}

void Metrics::fill_workflows(RunSummary& run) const {
  double sum = 0;
  double count = 0;
  for (const auto& [name, span] : groups_) {
    if (!span.is_workflow) continue;
    sum += seconds(span.last_finish - span.first_submission);
    ++count;
  }
  run.workflow_makespan_mean_s = ratio(sum, count);
}

void Metrics::fill_predictions(RunSummary& run) const {
  if (!predicted_) return;
  run.predicted_cost = predicted_->value();
  run.prediction_error = relative_error(*predicted_, paid_);
  run.prediction_error_job_mean =
      ratio(prediction_errors_, static_cast<double>(with_prediction_error_));
}

// Use by the hour of the day

void HourlyUse::advance(Time now, const State& state) {
  using std::chrono::hours;
  while (until_ < now) {
    const auto hour = std::chrono::floor<hours>(until_);
    const Time next = std::min<Time>(now, hour + hours(1));
    const auto of_day =
        static_cast<std::size_t>((hour - std::chrono::floor<std::chrono::days>(until_)).count());
    const double length = seconds(next - until_) / 3600;
    for (std::uint32_t i = 0; i < sites_.size(); ++i)
      sites_[i].at(of_day) += length * state.site(SiteId{i}).busy_gpus;
    until_ = next;
  }
}

}  // namespace penstock
