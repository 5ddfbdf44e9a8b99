#include "solve/plan_program.h"

#include <algorithm>
#include <set>

namespace penstock {
namespace {

using Term = LinearProgram::Term;

bool alike(const JointNode& a, const JointNode& b) {
  return a.type == b.type && a.gpus == b.gpus && a.cost == b.cost;
}

bool may_run(const Choice& choice, const Prices& prices) {
  return !prices.finish || choice.seconds >= *prices.finish;
}

/// What a choice costs beside its node when the first job ends after `finish` seconds.
double cost_until(double finish, const JointProblem& problem, const Choice& choice) {
  const JointJob& job = problem.jobs[choice.job];
  const double late = problem.now + finish + choice.lost - job.deadline;
  return job.options[choice.where.option].own_rate * finish / kSecondsPerHour +
         restart_cost(problem, job, choice.where) + job.weight * std::max(0.0, late);
}

}  // namespace

std::vector<Choice> all_choices(const JointProblem& problem) {
  std::vector<Choice> choices;
  for (std::uint32_t j = 0; j < problem.jobs.size(); ++j)
    for (std::uint32_t n = 0; n < problem.nodes.size(); ++n)
      for (std::uint32_t o = 0; o < problem.jobs[j].options.size(); ++o) {
        const JointJob& job = problem.jobs[j];
        const JointNode& node = problem.nodes[n];
        const JointOption& option = job.options[o];
        const std::uint32_t gpus = gpus_for(option.slices, problem.slices);
        if (option.type != node.type || gpus > node.gpus) continue;
        const Assignment where{.node = n, .option = o};
        choices.push_back({.job = j,
                           .where = where,
                           .slices = option.slices,
                           .seconds = run_seconds(job, where),
                           .lost = lost_seconds(job, where)});
      }
  return choices;
}

Prices prices_until(double finish, const JointProblem& problem, std::span<const Choice> choices) {
  Prices prices{.hours = finish / kSecondsPerHour, .finish = finish};
  prices.running.reserve(choices.size());
  for (const Choice& choice : choices)
    prices.running.push_back(cost_until(finish, problem, choice));
  for (const JointJob& job : problem.jobs) prices.waiting.push_back(waiting_penalty(problem, job));
  return prices;
}

Prices prices_by_pace(const JointProblem& problem, std::span<const Choice> choices) {
  const Values values(problem);
  Prices prices{.hours = 1};
  prices.running.reserve(choices.size());
  for (const Choice& choice : choices)
    prices.running.push_back(problem.jobs[choice.job].options[choice.where.option].own_rate +
                             values.running(choice.job, choice.where) * kSecondsPerHour);
  for (std::uint32_t job = 0; job < problem.jobs.size(); ++job)
    prices.waiting.push_back(values.waiting(job) * kSecondsPerHour);
  return prices;
}

double quick_bound(const JointProblem& problem, std::span<const Choice> choices,
                   const Prices& prices) {
  std::vector<double> least = prices.waiting;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (may_run(choices[i], prices))
      least[choices[i].job] = std::min(least[choices[i].job], prices.running[i]);
  double sum = 0;
  for (const double cost : least) sum += cost;
  for (const JointNode& node : problem.nodes) sum += node.cost[0] * prices.hours;
  return sum;
}

PlanProgram::PlanProgram(const JointProblem& problem, std::span<const Choice> choices,
                         Prices prices, double scale)
    : problem_(problem), prices_(std::move(prices)), scale_(scale) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Choice& choice = choices[i];
    const auto [least, is_new] = least_.try_emplace({choice.job, choice.where.node}, choice.slices);
    if (!is_new) least->second = std::min(least->second, choice.slices);
    if (!may_run(choice, prices_)) continue;
    choices_.push_back(choice);
    costs_.push_back(prices_.running[i] - prices_.waiting[choice.job]);
  }
  for (const double cost : prices_.waiting) empty_ += cost;
  for (const JointNode& node : problem.nodes) empty_ += node.cost[0] * prices_.hours;
  add_columns();
  add_job_rows();
  add_node_rows();
  add_completeness();
  add_order_of_like_nodes();
}

void PlanProgram::add_columns() {
  for (const double cost : costs_) program_.add({.cost = cost * scale_, .upper = 1, .whole = true});
  for (const JointNode& node : problem_.nodes) {
    first_use_.push_back(static_cast<int>(program_.columns().size()));
    for (std::uint32_t used = 1; used <= node.gpus; ++used)
      program_.add({.cost = (node.cost[used] - node.cost[0]) * prices_.hours * scale_,
                    .upper = 1,
                    .whole = true});
  }
}

void PlanProgram::add_job_rows() {
  std::map<std::uint32_t, std::vector<Term>> jobs;
  std::vector<Term> first;
  for (int i = 0; const Choice& choice : choices_) {
    jobs[choice.job].push_back({i, 1});
    if (choice.seconds == prices_.finish) first.push_back({i, 1});
    ++i;
  }
  for (const auto& [job, terms] : jobs) program_.add_row(terms, -kNoLimit, 1);
  if (prices_.finish) program_.add_row(first, 1, kNoLimit);
}

void PlanProgram::add_node_rows() {
  std::vector<std::vector<Term>> filled(problem_.nodes.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Term>> there;  // node, job
  for (int i = 0; const Choice& choice : choices_) {
    filled[choice.where.node].push_back({i, static_cast<double>(choice.slices)});
    there[{choice.where.node, choice.job}].push_back({i, 1});
    ++i;
  }
  for (std::uint32_t n = 0; n < problem_.nodes.size(); ++n) {
    std::vector<Term> one_use;
    for (std::uint32_t used = 1; used <= problem_.nodes[n].gpus; ++used) {
      const int column = first_use_[n] + static_cast<int>(used) - 1;
      filled[n].push_back({column, -static_cast<double>(used * problem_.slices)});
      one_use.push_back({column, 1});
    }
    program_.add_row(filled[n], -kNoLimit, 0);
    program_.add_row(one_use, -kNoLimit, 1);
  }
  for (auto& [node_and_job, terms] : there) {  // implied, but not when relaxed
    const std::uint32_t n = node_and_job.first;
    for (std::uint32_t used = 1; used <= problem_.nodes[n].gpus; ++used)
      terms.push_back({first_use_[n] + static_cast<int>(used) - 1, -1});
    program_.add_row(terms, -kNoLimit, 0);
  }
}

/// A job that waits leaves no node with room for the least that it could be given there.
void PlanProgram::add_completeness() {
  std::vector<std::vector<Term>> filled(problem_.nodes.size());
  std::vector<std::vector<int>> of_job(problem_.jobs.size());
  for (int i = 0; const Choice& choice : choices_) {
    filled[choice.where.node].push_back({i, static_cast<double>(choice.slices)});
    of_job[choice.job].push_back(i++);
  }
  for (const auto& [job_and_node, slices] : least_) {
    const auto [job, node] = job_and_node;
    const double full = problem_.nodes[node].gpus * problem_.slices + 1.0 - slices;
    std::map<int, double> factors;
    for (const Term& term : filled[node]) factors[term.column] += term.factor;
    for (const int column : of_job[job]) factors[column] += full;
    std::vector<Term> terms;
    terms.reserve(factors.size());
    for (const auto& [column, factor] : factors) terms.push_back({column, factor});
    program_.add_row(terms, full, kNoLimit);
  }
}

void PlanProgram::add_order_of_like_nodes() {
  std::set<std::uint32_t> told_apart;  // by the jobs that run there
  for (const JointJob& job : problem_.jobs)
    if (job.running) told_apart.insert(job.running->node);
  std::optional<std::uint32_t> before;
  for (std::uint32_t n = 0; n < problem_.nodes.size(); ++n) {
    if (told_apart.contains(n)) continue;
    if (before && alike(problem_.nodes[*before], problem_.nodes[n])) {
      std::vector<Term> terms;
      for (std::uint32_t used = 1; used <= problem_.nodes[n].gpus; ++used) {
        const int step = static_cast<int>(used) - 1;
        terms.push_back({first_use_[*before] + step, static_cast<double>(used)});
        terms.push_back({first_use_[n] + step, -static_cast<double>(used)});
      }
      program_.add_row(terms, 0, kNoLimit);
    }
    before = n;
  }
}

Assignments PlanProgram::plan(const std::vector<double>& values) const {
  Assignments plan(problem_.jobs.size());
  for (std::size_t i = 0; i < choices_.size(); ++i)
    if (values[i] > 0.5) plan[choices_[i].job] = choices_[i].where;
  return plan;
}

}  // namespace penstock
