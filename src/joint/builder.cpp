#include "joint/builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "joint/objective.h"

namespace penstock {
namespace {

/// The largest node of each type.
std::vector<const JointNode*> largest_nodes(const JointProblem& problem) {
  std::vector<const JointNode*> largest(problem.types, nullptr);
  for (const JointNode& node : problem.nodes)
    if (largest[node.type] == nullptr || node.gpus > largest[node.type]->gpus)
      largest[node.type] = &node;
  return largest;
}

double seconds_in(const JointJob& job, std::uint32_t option, double seconds) {
  const bool stays = job.running && job.running->option == option;
  return job.running && !stays ? seconds + job.restart : seconds;
}

struct Rating {
  bool late = false;
  double value = 0;    ///< cost if in time, otherwise seconds
  double seconds = 0;  ///< the second criterion
  std::uint32_t option = 0;
  friend auto operator<=>(const Rating&, const Rating&) = default;
};

double cost_on(const JointNode& node, const JointOption& option, std::uint32_t slices_of_a_gpu) {
  const std::uint32_t gpus = gpus_for(option.slices, slices_of_a_gpu);
  const double share = double(option.slices) / (gpus * slices_of_a_gpu);
  return (node.cost[gpus] * share + option.own_rate) * option.seconds / kSecondsPerHour;
}

}  // namespace

double pressure(const JointProblem& problem, const JointJob& job) {
  const double fastest = std::ranges::min(job.options, {}, &JointOption::seconds).seconds;
  return problem.now + fastest - job.deadline;
}

double option_cost(const JointProblem& problem, const JointOption& option) {
  for (const JointNode& node : problem.nodes)
    if (node.type == option.type && option.slices <= node.gpus * problem.slices)
      return cost_on(node, option, problem.slices);
  return std::numeric_limits<double>::infinity();
}

std::vector<OptionRanking> all_rankings(const JointProblem& problem) {
  const auto largest = largest_nodes(problem);
  std::vector<OptionRanking> all;
  all.reserve(problem.jobs.size());
  std::vector<Rating> ratings;
  for (const JointJob& job : problem.jobs) {
    ratings.clear();
    for (std::uint32_t o = 0; o < job.options.size(); ++o) {
      const JointOption& option = job.options[o];
      const JointNode* node = largest[option.type];
      if (node == nullptr || option.slices > node->gpus * problem.slices) continue;
      const bool late = problem.now + seconds_in(job, o, option.worst) > job.deadline;
      const double seconds = seconds_in(job, o, option.seconds);
      const double cost = cost_on(*node, option, problem.slices);
      ratings.push_back({late, late ? seconds : cost, seconds, o});
    }
    std::ranges::sort(ratings);
    OptionRanking& rankings = all.emplace_back();
    for (const Rating& rating : ratings) rankings.options.push_back(rating.option);
    rankings.in_time =
        static_cast<std::uint32_t>(std::ranges::count(ratings, false, &Rating::late));
  }
  return all;
}

std::vector<std::uint32_t> by_pressure(const JointProblem& problem) {
  std::vector<double> pressures;
  pressures.reserve(problem.jobs.size());
  for (const JointJob& job : problem.jobs) pressures.push_back(pressure(problem, job));
  std::vector<std::uint32_t> order(problem.jobs.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t j) { return pressures[j]; });
  return order;
}

struct Builder::Draw {
  const Randomisation& randomisation;
  Rng rng;

  /// One of the first `share` of so many.
  std::uint32_t among(std::uint32_t count, double share) {
    if (count <= 1) return 0;
    const double wanted = share * count;
    const auto some = static_cast<std::uint32_t>(randomisation.rounds_up ? std::ceil(wanted)
                                                                         : std::round(wanted));
    return static_cast<std::uint32_t>(rng.below(std::clamp(some, randomisation.fewest, count)));
  }
};

Builder::Builder(const JointProblem& problem)
    : problem_(problem), filling_(problem), on_(problem.nodes.size()) {}

void Builder::assign(std::uint32_t job, std::uint32_t node, std::uint32_t option) {
  filling_.take(node, problem_.jobs[job].options[option].slices);
  plan_[job] = Assignment{node, option};
  on_[node].push_back(job);
}

/// A job whose restart costs something stays where it is if it likes that as well.
bool Builder::try_stay(std::uint32_t job, std::uint32_t option) {
  const JointJob& it = problem_.jobs[job];
  if (!it.running || it.restart <= 0 || it.running->option != option) return false;
  if (filling_.free(it.running->node) < it.options[option].slices) return false;
  assign(job, it.running->node, option);
  return true;
}

bool Builder::try_option(std::uint32_t job, std::uint32_t option, Draw* draw) {
  if (try_stay(job, option)) return true;
  const JointOption& wanted = problem_.jobs[job].options[option];
  std::uint32_t rank = 0;
  if (draw != nullptr && draw->randomisation.nodes > 0) {
    constexpr std::uint32_t kCounted = 64;
    rank =
        draw->among(filling_.fits(wanted.type, wanted.slices, kCounted), draw->randomisation.nodes);
  }
  const auto node = filling_.best_fit(wanted.type, wanted.slices, rank);
  if (!node) return false;
  assign(job, *node, option);
  return true;
}

void Builder::place(std::uint32_t job, const OptionRanking& rankings, Draw* draw) {
  const auto count = static_cast<std::uint32_t>(rankings.options.size());
  const std::uint32_t listed = rankings.in_time > 0 ? rankings.in_time : count;
  if (draw != nullptr && count > 0) {
    const std::uint32_t chosen = draw->among(listed, draw->randomisation.options);
    if (try_option(job, rankings.options[chosen], draw)) return;
  }
  for (const std::uint32_t option : rankings.options)
    if (try_option(job, option, draw)) return;
}

Assignments Builder::greedy(std::span<const std::uint32_t> order,
                            std::span<const OptionRanking> rankings) {
  filling_.clear();
  plan_.assign(problem_.jobs.size(), std::nullopt);
  for (auto& jobs : on_) jobs.clear();
  for (const std::uint32_t job : order) {
    if (filling_.free() == 0) break;
    place(job, rankings[job], nullptr);
  }
  use_what_is_paid();
  return plan_;
}

Assignments Builder::randomised(std::span<const std::uint32_t> order,
                                std::span<const OptionRanking> rankings,
                                const Randomisation& randomisation, Rng rng) {
  filling_.clear();
  plan_.assign(problem_.jobs.size(), std::nullopt);
  for (auto& jobs : on_) jobs.clear();
  Draw draw{randomisation, rng};
  std::vector<std::uint32_t> shuffled(order.begin(), order.end());
  for (std::size_t i = 0; i + 1 < shuffled.size(); ++i) {
    const bool heavier = problem_.jobs[shuffled[i]].weight >= problem_.jobs[shuffled[i + 1]].weight;
    if (draw.rng.uniform() < 0.5 + (heavier ? -randomisation.swap : randomisation.swap))
      std::swap(shuffled[i], shuffled[i + 1]);
  }
  for (const std::uint32_t job : shuffled) {
    if (filling_.free() == 0) break;
    place(job, rankings[job], &draw);
  }
  use_what_is_paid();
  return plan_;
}

Assignments Builder::untouched(std::span<const std::uint32_t> order,
                               std::span<const OptionRanking> rankings) {
  filling_.clear();
  plan_.assign(problem_.jobs.size(), std::nullopt);
  for (auto& jobs : on_) jobs.clear();
  for (std::uint32_t job = 0; job < problem_.jobs.size(); ++job)
    if (const auto& at = problem_.jobs[job].running) assign(job, at->node, at->option);
  for (const std::uint32_t job : order) {
    if (filling_.free() == 0) break;
    if (!plan_[job]) place(job, rankings[job], nullptr);
  }
  return plan_;
}

/// GPUs of a node that cost nothing more, because the next larger machine is paid for anyway,
/// go to the jobs on it whose time they shorten most.
void Builder::use_what_is_paid() {
  for (std::uint32_t n = 0; n < on_.size(); ++n)
    while (!on_[n].empty() && filling_.free(n) > 0 && widen(n)) {
    }
}

/// Would the job use more of its node, at no more cost?
bool Builder::is_paid(std::uint32_t job, std::uint32_t node, const JointOption& wider) const {
  const JointOption& now = problem_.jobs[job].options[plan_[job]->option];
  if (wider.type != now.type || wider.slices <= now.slices) return false;
  const std::uint32_t more = wider.slices - now.slices;
  if (more > filling_.free(node)) return false;
  const auto& cost = problem_.nodes[node].cost;
  const std::uint32_t used = filling_.used(node);
  return cost[gpus_for(used + more, problem_.slices)] <= cost[gpus_for(used, problem_.slices)];
}

bool Builder::widen(std::uint32_t node) {
  std::optional<std::pair<std::uint32_t, std::uint32_t>> best;  // job and option
  double most = 0;
  for (const std::uint32_t job : on_[node]) {
    const JointJob& it = problem_.jobs[job];
    if (it.running == plan_[job] && it.restart > 0) continue;
    for (std::uint32_t o = 0; o < it.options.size(); ++o) {
      const double saved = it.options[plan_[job]->option].seconds - it.options[o].seconds;
      if (saved <= most || !is_paid(job, node, it.options[o])) continue;
      most = saved;
      best = {job, o};
    }
  }
  if (!best) return false;
  const auto [job, option] = *best;
  const JointJob& it = problem_.jobs[job];
  filling_.take(node, it.options[option].slices - it.options[plan_[job]->option].slices);
  plan_[job]->option = option;
  return true;
}

}  // namespace penstock
