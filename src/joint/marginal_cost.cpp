#include "joint/marginal_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penstock {
namespace {

constexpr double kSecondsPerHour = 3600;

/// What a job comes to by one of its ways, as a line over the price of a second.
struct Line {
  double cost = 0;   ///< of machines
  double worst = 0;  ///< seconds
};

/// The price at which `slow`, which is the cheaper at lower prices, and `quick` cost the same.
double crossing(const Line& slow, const Line& quick) {
  return (quick.cost - slow.cost) / (slow.worst - quick.worst);
}

std::vector<Line> lines_of(const JointJob& job, const std::vector<double>& rates) {
  std::vector<Line> lines;
  lines.reserve(job.options.size());
  for (const JointOption& option : job.options) {
    const double cost = finishing_cost(option, rates);
    if (std::isfinite(cost)) lines.push_back({cost, option.worst});
  }
  return lines;
}

struct Turn {
  double price = 0;
  const Line* to = nullptr;  ///< nothing if no quicker way pays below the price
};

/// The least price, below `most`, at which a quicker way than `from` is as cheap.
Turn next_turn(const std::vector<Line>& lines, const Line& from, double most) {
  Turn turn{.price = most};
  for (const Line& line : lines) {
    if (line.worst >= from.worst) continue;
    const double price = crossing(from, line);
    if (price < turn.price) turn = {.price = price, .to = &line};
  }
  return turn;
}

}  // namespace

std::vector<double> full_rates(const JointProblem& problem) {
  std::vector<double> rates(problem.types, std::numeric_limits<double>::infinity());
  for (const JointNode& node : problem.nodes) {
    if (node.gpus == 0) continue;
    const double rate = node.cost[node.gpus] / (node.gpus * problem.slices);
    rates[node.type] = std::min(rates[node.type], rate);
  }
  return rates;
}

double finishing_cost(const JointOption& option, const std::vector<double>& rates) {
  return (rates[option.type] * option.slices + option.own_rate) * option.seconds / kSecondsPerHour;
}

double marginal_cost(const JointJob& job, const std::vector<double>& rates, double left) {
  const std::vector<Line> lines = lines_of(job, rates);
  if (lines.empty()) return 0;
  Line lowest = std::ranges::min(lines, {}, &Line::cost);
  double price = 0;
  while (lowest.worst > left) {  // the dearer time is, the more a quicker way pays
    const Turn turn = next_turn(lines, lowest, job.weight);
    price = turn.price;
    if (turn.to == nullptr) break;
    lowest = *turn.to;
  }
  return lowest.cost + price * lowest.worst;
}

}  // namespace penstock
