#include "joint/stochastic.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace penstock {
namespace {

constexpr int kHalvings = 100;
constexpr double kNothing = 1e-9;  // of all the work: too short to be a part of a plan

/// What a unit of work takes and costs by one option.
struct Way {
  double time = 0;
  double cost = 0;
  std::uint32_t option = 0;
};

/// Does `middle` lie on or above the line from `slow` to `fast`?
bool is_useless(const Way& slow, const Way& middle, const Way& fast) {
  return (middle.cost - slow.cost) * (slow.time - fast.time) >=
         (fast.cost - slow.cost) * (slow.time - middle.time);
}

/// Those that are best for some price of time: from the cheapest to the fastest.
std::vector<Way> useful_ways(std::span<const StochasticOption> options) {
  std::vector<Way> all;
  all.reserve(options.size());
  for (std::uint32_t i = 0; i < options.size(); ++i)
    all.push_back({1 / options[i].speed, options[i].rate / options[i].speed, i});
  std::ranges::stable_sort(all, {}, [](const Way& way) { return std::pair(way.cost, way.time); });
  std::vector<Way> useful;
  for (const Way& way : all) {
    if (!useful.empty() && way.time >= useful.back().time) continue;
    while (useful.size() > 1 && is_useless(useful[useful.size() - 2], useful.back(), way))
      useful.pop_back();
    useful.push_back(way);
  }
  return useful;
}

/// Where each way ends: the work from ends[i − 1] to ends[i] is done by way i.
using Ends = std::vector<double>;

class Program {
 public:
  Program(const Survival& needed, std::vector<Way> ways)
      : needed_(needed), ways_(std::move(ways)) {}

  const Way& fastest() const { return ways_.back(); }
  double worst(const Ends& ends) const {
    double sum = 0;
    for (std::size_t i = 0; i < ways_.size(); ++i)
      sum += (ends[i] - begin(ends, i)) * ways_[i].time;
    return sum;
  }

  /// The best ends if a second costs `price`.
  Ends at_price(double price) const {
    Ends ends;
    for (std::size_t i = 0; i + 1 < ways_.size(); ++i) {
      const double end = needed_.reached(price * seconds_saved(i));
      ends.push_back(std::max(end, ends.empty() ? 0 : ends.back()));
    }
    ends.push_back(needed_.most());
    return ends;
  }

  /// The best ends of those that take no longer than `left` at worst; some must.
  Ends within(double left) const {
    Ends late = at_price(0);
    if (worst(late) <= left) return late;
    double low = 0;
    double high = 1;
    for (std::size_t i = 0; i + 1 < ways_.size(); ++i) high = std::max(high, 1 / seconds_saved(i));
    Ends early = at_price(high);
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      Ends ends = at_price(middle);
      const bool is_late = worst(ends) > left;
      (is_late ? low : high) = middle;
      (is_late ? late : early) = std::move(ends);
    }
    return mixed(early, late, left);
  }

  StochasticChoice choice(const Ends& ends) const {
    StochasticChoice choice{.option = fastest().option, .worst_seconds = worst(ends)};
    for (std::size_t i = ways_.size(); i-- > 0;) {
      const double work = needed_.expected(begin(ends, i), ends[i]);
      choice.expected_cost += ways_[i].cost * work;
      choice.expected_seconds += ways_[i].time * work;
      if (ends[i] - begin(ends, i) > kNothing * needed_.most()) choice.option = ways_[i].option;
    }
    return choice;
  }

 private:
  static double begin(const Ends& ends, std::size_t i) { return i == 0 ? 0 : ends[i - 1]; }

  /// That the way after the i-th saves for each unit of money more.
  double seconds_saved(std::size_t i) const {
    return (ways_[i].time - ways_[i + 1].time) / (ways_[i + 1].cost - ways_[i].cost);
  }

  /// Where the survival is level, all prices but one take the whole level early or late; any part
  /// of it is as good.
  Ends mixed(Ends early, const Ends& late, double left) const {
    const double least = worst(early);
    const double most = worst(late);
    const double share = most > least ? std::clamp((left - least) / (most - least), 0.0, 1.0) : 0;
    for (std::size_t i = 0; i < early.size(); ++i) early[i] += (late[i] - early[i]) * share;
    return early;
  }

  const Survival& needed_;
  std::vector<Way> ways_;
};

}  // namespace

StochasticChoice choose_stochastic(const Survival& needed,
                                   std::span<const StochasticOption> options, double seconds_left) {
  PENSTOCK_CHECK(!options.empty());
  const Program program(needed, useful_ways(options));
  const Ends fast = program.at_price(HUGE_VAL);
  return program.choice(program.worst(fast) >= seconds_left ? fast : program.within(seconds_left));
}

}  // namespace penstock
