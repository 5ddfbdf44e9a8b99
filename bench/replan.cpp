// How long one decision of `powerflow` takes with 1 000 jobs on 10 000 GPUs: the plan alone,
// and all of it, from the events to the actions, as jobs come and end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/engine.h"
#include "policies/core_policies.h"
#include "policies/elastic/plan.h"
#include "sim/sim_backend.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kJobs = 1000;
constexpr std::uint32_t kLater = 500;  ///< that come while others end
constexpr std::uint32_t kNodes = 1250;
const Time kStart = Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1));

double ms_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

void print(const std::string& what, std::vector<double> ms) {
  if (ms.empty()) return;
  std::ranges::sort(ms);
  const auto at = [&](double q) {
    return ms[static_cast<std::size_t>(q * static_cast<double>(ms.size() - 1))];
  };
  fmt::print("{:<52}{:>6} times{:>9.2f}{:>9.2f}{:>9.2f}\n", what, ms.size(), at(0.5), at(0.99),
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

/// The six trainings of ElasticFlow's tables, roughly.
Models make_models() {
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
                .batch = {.least = 32, .most = 2048, .local_most = 256},
                .batch_usual = 128,
                .gpus_most = 64});
  return models;
}

std::vector<TracedJob> make_jobs(const Models& models) {
  Rng rng = Rng(1).stream("jobs");
  std::vector<TracedJob> jobs;
  Time at = kStart;
  for (std::uint32_t i = 0; i < kJobs + kLater; ++i) {
    if (i >= kJobs) at += round_duration(rng.exponential(40));
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
  explicit Timed(std::unique_ptr<Policy> inner) : inner_(std::move(inner)) {}
  Decision decide(const View& view) override {
    const Clock::time_point begun = Clock::now();
    Decision decision = inner_->decide(view);
    const double took = ms_since(begun);
    for (const Event& event : view.happened) {
      jobs_ += std::holds_alternative<JobSubmitted>(event) ? 1 : 0;
      jobs_ -= std::holds_alternative<JobFinished>(event) ? 1 : 0;
    }
    (view.now == kStart ? first : jobs_ >= kJobs * 9 / 10 ? full : fewer).push_back(took);
    return decision;
  }
  std::vector<double> first, full, fewer;

 private:
  std::unique_ptr<Policy> inner_;
  std::uint32_t jobs_ = 0;
};

class Nobody final : public Observer {
 public:
  void before(const Batch& /*b*/, const State& /*s*/, const Ledger& /*l*/) override {}
  void decided(Time /*now*/, const Decision& /*d*/, const State& /*s*/) override {}
  void ended(const JobRecord& /*record*/) override {}
};

void whole_decision(const std::string& name, const Options& options) {
  const Cluster cluster = make_cluster();
  const Models models = make_models();
  const std::vector<TracedJob> jobs = make_jobs(models);
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
  Timed timed(*std::move(made));
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
  print(name + ", 900 jobs and more", timed.full);
  print(name + ", fewer jobs", timed.fewer);
  print(name + ", the first 1 000 at once", timed.first);
}

using Planner = Plan(std::span<const PlanJob>, const PlanLimits&, const PlanOptions&);

void plan_alone(const std::string& name, Planner& planner, const PlanLimits& limits) {
  const Cluster cluster = make_cluster();
  const Models models = make_models();
  std::vector<Curve> curves;
  for (std::uint32_t i = 0; i < models.kinds(); ++i)
    curves.emplace_back(
        *models.find(KindId{i}, GpuTypeId{0}), cluster.types[0],
        CurveContext{.node_gpus = 8, .most_gpus = 8 * kNodes, .idle = cluster.types[0].idle});
  Rng rng = Rng(2).stream("left");
  std::vector<double> ms;
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<PlanJob> jobs;
    for (const TracedJob& traced : make_jobs(models)) {
      if (jobs.size() == kJobs) break;
      jobs.push_back({.curve = &curves[traced.job.kind_id->index],
                      .left = traced.job.work * rng.uniform(),
                      .restart = std::chrono::seconds(30),
                      .gpus_now = 1u << rng.below(6)});
    }
    const Clock::time_point begun = Clock::now();
    const Plan plan = planner(jobs, limits, {});
    ms.push_back(ms_since(begun));
  }
  print(name, ms);
}

}  // namespace
}  // namespace penstock

int main() {
  using namespace penstock;
  fmt::print("{:<52}{:>12}{:>9}{:>9}{:>9}\n", "one re-plan, 1 000 jobs on 10 000 GPUs, ms", "",
             "p50", "p99", "most");
  const PlanLimits roomy{.gpus = 8 * kNodes};
  const PlanLimits tight{.gpus = 8 * kNodes, .power = Watts(500e3)};
  plan_alone("plan alone, published", plan_greedily, roomy);
  plan_alone("plan alone, published, 500 kW", plan_greedily, tight);
  plan_alone("plan alone, shares", plan_by_shares, roomy);
  plan_alone("plan alone, shares, 500 kW", plan_by_shares, tight);
  whole_decision("whole decision, published", {{"rank", "published"}});
  whole_decision("whole decision, published, 2.4 MWh/h",
                 {{"energy_budget", "2.4 MWh/h"}, {"rank", "published"}});
  whole_decision("whole decision, shares", {{"rank", "shares"}});
  whole_decision("whole decision, shares, 2.4 MWh/h",
                 {{"energy_budget", "2.4 MWh/h"}, {"rank", "shares"}});
}
