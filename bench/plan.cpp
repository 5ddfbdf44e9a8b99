// How long one joint plan takes and what it costs, by method: 100 nodes with 450 jobs against a
// thousand randomised greedy plans, and how time grows with nodes and jobs. ANDREAS's machines
// and trainings.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/rng.h"
#include "joint/optimise.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kTesla = 0;
constexpr std::uint32_t kTuring = 1;

JointNode make_node(std::uint32_t n) {
  constexpr double kMoneyPerWattHour = 0.17168313 / 1000 * 1.33;  // price and PUE
  const bool tesla = n % 2 == 0;
  JointNode node{.type = tesla ? kTesla : kTuring, .gpus = tesla ? 4u : 2u};
  for (const double watts :
       tesla ? std::vector<double>{0, 530, 700, 870, 1040} : std::vector<double>{0, 400, 470})
    node.cost.push_back(watts * kMoneyPerWattHour);
  return node;
}

/// One of the four trainings, some of it done; deadlines from tight to loose.
JointJob make_job(Rng& rng, double now) {
  constexpr double kSecondsPerEpoch[4][3] = {{43.0842, 30.5512, 110.7112},
                                             {43.0261, 30.5871, 110.6581},
                                             {51.6221, 41.2372, 88.9881},
                                             {20.5382, 17.8042, 41.2582}};
  constexpr double kEpochs[3] = {120, 160, 320};
  const auto& seconds = kSecondsPerEpoch[rng.below(4)];
  const double epochs = kEpochs[rng.below(3)] * (0.1 + 0.9 * rng.uniform());
  JointJob job{.submitted = now, .weight = 2.537e-4 + 1.903e-4 * rng.uniform(), .restart = 30};
  for (const std::uint32_t gpus : {1u, 2u})
    job.options.push_back({.type = kTesla, .slices = gpus, .seconds = seconds[gpus - 1] * epochs});
  job.options.push_back({.type = kTuring, .slices = 1, .seconds = seconds[2] * epochs});
  for (JointOption& option : job.options) option.worst = option.seconds;
  job.deadline = now + seconds[1] * epochs * (0.5 + 2.5 * rng.uniform());
  return job;
}

/// Five jobs in nine are running, as a queue would have started them.
JointProblem make_problem(std::uint32_t nodes, std::uint32_t jobs) {
  Rng rng = Rng(1).stream("plan");
  JointProblem problem{.now = 1e5, .types = 2};
  for (std::uint32_t n = 0; n < nodes; ++n) problem.nodes.push_back(make_node(n));
  for (std::uint32_t j = 0; j < jobs * 5 / 9; ++j)
    problem.jobs.push_back(make_job(rng, problem.now));
  const Assignments running = optimise(problem, {.method = JointMethod::fifo}).jobs;
  for (std::size_t j = 0; j < running.size(); ++j) problem.jobs[j].running = running[j];
  while (problem.jobs.size() < jobs) problem.jobs.push_back(make_job(rng, problem.now));
  return problem;
}

struct Timed {
  double seconds = 0;
  double cost = 0;
};

Timed timed(const JointProblem& problem, const JointSettings& settings) {
  const Clock::time_point begun = Clock::now();
  const JointResult result = optimise(problem, settings);
  return {std::chrono::duration<double>(Clock::now() - begun).count(), result.cost.total()};
}

struct Named {
  std::string name;
  JointMethod method;
  std::uint32_t iterations;
};

void print_against_random(JointAim aim) {
  const JointProblem problem = make_problem(100, 450);
  const Timed plain = timed(problem, {.aim = aim});
  fmt::print("100 nodes, 450 jobs, by {}{:>12}{:>14}{:>12}{:>12}\n",
             aim == JointAim::pace ? "pace        " : "first finish", "seconds", "objective",
             "of RG time", "saved, %");
  using enum JointMethod;
  for (const Named& it :
       {Named{"greedy", greedy, 1}, Named{"randomised greedy", random_greedy, 1000},
        Named{"local search, 100", local_search, 100},
        Named{"local search, 1000", local_search, 1000}, Named{"relinking, 100", relinking, 100},
        Named{"relinking, 1000", relinking, 1000}}) {
    const Timed took =
        timed(problem, {.method = it.method, .aim = aim, .iterations = it.iterations});
    fmt::print("  {:<34}{:>12.4f}{:>14.4f}{:>12.3f}{:>12.2f}\n", it.name, took.seconds, took.cost,
               took.seconds / plain.seconds, 100 * (plain.cost - took.cost) / std::abs(plain.cost));
  }
}

void print_growth(JointAim aim) {
  fmt::print("seconds by {}, 100 random plans{:>10}{:>10}{:>10}{:>10}\n",
             aim == JointAim::pace ? "pace" : "first finish", "G", "RG", "LS", "PR");
  for (const auto& [nodes, jobs] : {std::pair(10u, 45u), std::pair(100u, 450u),
                                    std::pair(300u, 1500u), std::pair(1000u, 5000u)}) {
    const JointProblem problem = make_problem(nodes, jobs);
    fmt::print("  {:<34}", fmt::format("{} nodes, {} jobs", nodes, jobs));
    for (const JointMethod method : {JointMethod::greedy, JointMethod::random_greedy,
                                     JointMethod::local_search, JointMethod::relinking})
      fmt::print("{:>10.3f}",
                 timed(problem, {.method = method, .aim = aim, .iterations = 100}).seconds);
    fmt::print("\n");
  }
}

}  // namespace
}  // namespace penstock

int main() {
  using penstock::JointAim;
  for (const JointAim aim : {JointAim::first_finish, JointAim::pace}) {
    penstock::print_against_random(aim);
    penstock::print_growth(aim);
  }
}
