// How long one decision of `powerflow` takes with 1 000 jobs on 10 000 GPUs: the plan alone, and
// all of it, from the events to the actions, as jobs come and end.
//   replan [CASES [JOBS [DECISIONS]]]
// measures only cases whose names contain CASES, with another number of jobs, and whole runs only
// until so many decisions, for callgrind.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/engine.h"
#include "policies/core_policies.h"
#include "policies/elastic/plan.h"
#include "policies/elastic/value_plan.h"
#include "sim/sim_backend.h"

namespace penstock {
namespace {

constexpr std::uint32_t kNodes = 1250;
const Time kStart = Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1));

/// What to measure.
struct Asked {
  std::string cases{};
  std::uint32_t jobs = 1000;
  std::size_t decisions = std::numeric_limits<std::size_t>::max();
  bool has(const std::string& name) const { return name.find(cases) != std::string::npos; }
  /// Jobs that come while others end.
  std::uint32_t later() const { return jobs / 2; }
};

/// Of the processor, so that other programs on the machine do not count.
double ms_used() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void print(const std::string& what, std::vector<double> ms) {
  if (ms.empty()) return;
  std::ranges::sort(ms);
  const auto at = [&](double q) {
    return ms[static_cast<std::size_t>(q * static_cast<double>(ms.size() - 1))];
  };
  fmt::print("{:<72}{:>6} times{:>9.2f}{:>9.2f}{:>9.2f}\n", what, ms.size(), at(0.5), at(0.99),
             ms.back());
}

Cluster make_cluster() {
  Cluster cluster;
  for (const GpuType& type : gpu_catalogue())
    if (type.name == "a100") cluster.types = {type};
  add_site(cluster, "bench",
           {{.count = kNodes,
             .gpus = 8,
             .type = {},
             .rack = 4,
             .base = Watts(800),
             .base_sleep = Watts(20)}});
  return cluster;
}

/// The six trainings of ElasticFlow's tables, roughly. With gradient noise their batches are free.
Models make_models(std::optional<double> noise = std::nullopt) {
  constexpr double kForms[6][7] = {{.0486, .00183, .0652, .00164, .0720, 4.56e-4, 2.61},
                                   {.0459, .00896, .00294, .00279, .0164, 0, 1},
                                   {.0237, 8.8e-4, .0215, .00188, .0313, 3.49e-4, 1.71},
                                   {.0214, .0029, .0404, .0026, .0589, 2.22e-4, 1.76},
                                   {.00741, .00213, .0159, .00204, .0322, 1.55e-4, 1.21},
                                   {.00733, .00301, .00824, .00188, .0201, 8.76e-5, 1}};
  Models models(1);
  for (const auto& f : kForms)
    models.set(models.add_kind(), GpuTypeId{0},
               {.name = fmt::format("kind-{}", models.kinds()),
                .gpu = "a100",
                .speed = {f[0], f[1], f[2], f[3], f[4], f[5], f[6], 0.3},
                .power = {Watts(90), Watts(60), Watts(200), Watts(50)},
                .noise = {.base = 128, .scale = noise},
                .batch = {.least = 32, .most = 2048, .local_most = 256},
                .batch_usual = 128,
                .gpus_most = 64});
  return models;
}

std::vector<TracedJob> make_jobs(const Models& models, const Asked& what) {
  Rng rng = Rng(1).stream("jobs");
  std::vector<TracedJob> jobs;
  Time at = kStart;
  for (std::uint32_t i = 0; i < what.jobs + what.later(); ++i) {
    if (i >= what.jobs) at += round_duration(rng.exponential(40));
    const std::uint32_t gpus = 1u << rng.below(5);
    Job job{.id = {i}, .submitted = at, .gpus = gpus, .name = fmt::format("job-{}", i)};
    job.kind_id = KindId{static_cast<std::uint32_t>(rng.below(models.kinds()))};
    job.batch = 64.0 * gpus;
    job.requested = round_duration(60 * std::pow(10, 2.2 + 1.6 * rng.uniform()));
    const Config asked{.gpus = gpus, .nodes = (gpus + 7) / 8, .batch = job.batch};
    job.work = Speed(throughput(*models.find(job, GpuTypeId{0}), asked) / 1e3) * job.requested;
    jobs.push_back({.job = job, .actual = job.requested, .work = job.work});
  }
  return jobs;
}

/// Times every decision of a policy that has about as many jobs as it should.
class Timed final : public Policy {
 public:
  Timed(std::unique_ptr<Policy> inner, const Asked& what) : inner_(std::move(inner)), what_(what) {}
  Decision decide(const View& view) override {
    if (first.size() + full.size() + fewer.size() >= what_.decisions) return {};
    const double begun = ms_used();
    Decision decision = inner_->decide(view);
    const double took = ms_used() - begun;
    for (const Event& event : view.happened) {
      jobs_ += std::holds_alternative<JobSubmitted>(event) ? 1 : 0;
      jobs_ -= std::holds_alternative<JobFinished>(event) ? 1 : 0;
    }
    (view.now == kStart ? first : jobs_ >= what_.jobs * 9 / 10 ? full : fewer).push_back(took);
    return decision;
  }
  std::vector<double> first, full, fewer;

 private:
  std::unique_ptr<Policy> inner_;
  const Asked& what_;
  std::uint32_t jobs_ = 0;
};

class Nobody final : public Observer {
 public:
  void before(const Batch& /*b*/, const State& /*s*/, const Ledger& /*l*/) override {}
  void decided(Time /*now*/, const Decision& /*d*/, const State& /*s*/) override {}
  void ended(const JobRecord& /*record*/) override {}
};

void whole_decision(const Asked& what, const std::string& name, const Options& options,
                    std::optional<double> noise = std::nullopt) {
  if (!what.has(name)) return;
  const Cluster cluster = make_cluster();
  const Models models = make_models(noise);
  const std::vector<TracedJob> jobs = make_jobs(models, what);
  VectorSource source(jobs);
  SimBackend backend(source, cluster, {.start = kStart, .models = &models});
  const std::vector<SiteSignals> signals(1);
  const std::vector<SiteForecasts> forecasts(1);
  const Costs costs{.restart = std::chrono::seconds(30)};
  auto made = core_policies().make({.cluster = cluster, .costs = costs, .start = kStart},
                                   "powerflow", options);
  if (!made) {
    fmt::print(stderr, "{}\n", made.error().message);
    std::exit(1);
  }
  Timed timed(*std::move(made), what);
  FixedModels learner(models);
  Nobody nobody;
  run(backend, timed,
      {.cluster = cluster,
       .signals = signals,
       .forecasts = forecasts,
       .costs = costs,
       .start = kStart,
       .learner = &learner},
      nobody);
  print(name + ", 9 in 10 jobs or more", timed.full);
  print(name + ", fewer jobs", timed.fewer);
  print(name + ", the first, all at once", timed.first);
}

using Planner = std::function<void(std::span<const PlanJob>)>;

void plan_alone(const Asked& what, const std::string& name, const Planner& planner,
                std::optional<double> noise = std::nullopt) {
  if (!what.has(name)) return;
  const Cluster cluster = make_cluster();
  const Models models = make_models(noise);
  std::vector<Curve> curves;
  for (std::uint32_t i = 0; i < models.kinds(); ++i)
    curves.emplace_back(
        *models.find(KindId{i}, GpuTypeId{0}), cluster.types[0],
        CurveContext{.node_gpus = 8, .most_gpus = 8 * kNodes, .idle = cluster.types[0].idle});
  Rng rng = Rng(2).stream("left");
  std::vector<double> ms;
  for (std::size_t repeat = 0; repeat < std::min<std::size_t>(200, what.decisions); ++repeat) {
    std::vector<PlanJob> jobs;
    for (const TracedJob& traced : make_jobs(models, what)) {
      if (jobs.size() == what.jobs) break;
      jobs.push_back({.curve = &curves[traced.job.kind_id->index],
                      .left = traced.job.work * rng.uniform(),
                      .restart = std::chrono::seconds(30),
                      .gpus_now = 1u << rng.below(6)});
    }
    const double begun = ms_used();
    planner(jobs);
    ms.push_back(ms_used() - begun);
  }
  print(name, ms);
}

void plans_alone(const Asked& what) {
  const PlanLimits roomy{.gpus = 8 * kNodes};
  const PlanLimits tight{.gpus = 8 * kNodes, .power = Watts(500e3)};
  const auto by = [](const auto& plan, const PlanLimits& limits) {
    return [&plan, limits](std::span<const PlanJob> jobs) { plan(jobs, limits, PlanOptions{}); };
  };
  plan_alone(what, "plan alone, published", by(plan_greedily, roomy));
  plan_alone(what, "plan alone, published, 500 kW", by(plan_greedily, tight));
  plan_alone(what, "plan alone, shares", by(plan_by_shares, roomy));
  plan_alone(what, "plan alone, shares, 500 kW", by(plan_by_shares, tight));
  plan_alone(what, "plan alone, value", by(plan_by_value, roomy));
  plan_alone(what, "plan alone, value, free batches", by(plan_by_value, roomy), 500);
  const auto within = [&](double near) {
    return [&tight, near](std::span<const PlanJob> jobs) mutable {
      near = plan_within(jobs, tight, {}, near).price;
    };
  };
  plan_alone(what, "plan alone, value, 500 kW, the last price known", within(1e-4));
  plan_alone(what, "plan alone, value, 500 kW, no price known",
             [&](std::span<const PlanJob> jobs) { plan_within(jobs, tight, {}, 0); });
}

void whole_decisions(const Asked& what) {
  whole_decision(what, "whole decision, published", {{"rank", "published"}});
  whole_decision(what, "whole decision, published, 2.4 MWh/h",
                 {{"energy_budget", "2.4 MWh/h"}, {"rank", "published"}});
  whole_decision(what, "whole decision, shares", {{"rank", "shares"}});
  whole_decision(what, "whole decision, shares, 2.4 MWh/h",
                 {{"energy_budget", "2.4 MWh/h"}, {"rank", "shares"}});
  const Options by_time{{"energy_budget", "2.4 MWh/h"}};
  const Options by_run{{"energy_budget", "100 MWh"}, {"budget_horizon", "6 h"}};
  for (const std::optional<double> noise : {std::optional<double>(), std::optional(500.0)}) {
    const std::string name =
        noise ? "whole decision, value, free batches" : "whole decision, value";
    whole_decision(what, name, {}, noise);
    whole_decision(what, name + ", 2.4 MWh/h", by_time, noise);
    whole_decision(what, name + ", 100 MWh in all", by_run, noise);
  }
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  using namespace penstock;
  Asked what;
  if (argc > 1) what.cases = argv[1];
  if (argc > 2) what.jobs = static_cast<std::uint32_t>(std::atoi(argv[2]));
  if (argc > 3) what.decisions = static_cast<std::size_t>(std::atoi(argv[3]));
  fmt::print("{:<72}{:>12}{:>9}{:>9}{:>9}\n",
             fmt::format("one re-plan, {} jobs on 10 000 GPUs, ms of processor time", what.jobs),
             "", "p50", "p99", "most");
  plans_alone(what);
  whole_decisions(what);
}
