#include "study/andreas/andreas_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <span>
#include <tuple>

#include "report/measures/statistics.h"
#include "report/svg/charts.h"

namespace penstock {
namespace {

constexpr std::array kFirstPrinciples{"fifo", "edf", "priority"};
constexpr std::array kNodeEach{"fifo unique", "edf unique", "priority unique"};
constexpr std::array kListRule{"atc"};
constexpr std::array kAuthors{"rg as published"};
constexpr std::array kArrivals{"high", "low", "mixed", "exponential", "poisson"};

double money_for_machines(const RunSummary& run) {
  return run.energy_cost.value_or(0) + run.rent_cost.value_or(0);
}

double total_cost_of(const RunSummary& run) {
  return run.total_cost.value_or(0);
}

double restarts_of(const RunSummary& run) {
  return (*run.preemptions + *run.resizes + *run.migrations) / *run.jobs_submitted;
}

/// A part in percent, with half of its 95 % interval if there are several.
std::string savings_text(const std::vector<double>& savings) {
  if (savings.empty()) return fmt::format("{:>15}", "-");
  const Spread spread = spread_of(savings);
  if (savings.size() < 2) return fmt::format("{:>6.1f} %       ", 100 * spread.mean);
  return fmt::format("{:>6.1f} ±{:>5.1f} %", 100 * spread.mean, 100 * spread.half);
}

double saving(const AndreasCase& each, const std::string& method, const char* rival) {
  return 1 - total_cost_of(each.run(method)) / total_cost_of(each.run(rival));
}

using Cases = std::vector<AndreasCase>;
/// Something of a case; nothing if it has not run all that it takes.
using Figure = std::function<std::optional<double>(const AndreasCase&)>;

/// What a method saves against rivals, their mean.
Figure saved_against(const std::string& method, std::span<const char* const> rivals) {
  return [=](const AndreasCase& each) -> std::optional<double> {
    double sum = 0;
    for (const char* rival : rivals) {
      if (!each.has(rival)) return std::nullopt;
      sum += saving(each, method, rival);
    }
    return sum / static_cast<double>(rivals.size());
  };
}

std::vector<double> all_of(const Cases& cases, const Figure& figure) {
  std::vector<double> values;
  for (const AndreasCase& each : cases)
    if (const auto value = figure(each)) values.push_back(*value);
  return values;
}

template <class Suits>
Cases those(const Cases& all, Suits suits) {
  Cases cases;
  std::copy_if(all.begin(), all.end(), std::back_inserter(cases), suits);
  return cases;
}

bool is_published(const AndreasCase& each) {
  return each.weights == 1 && !each.is_by_load();
}

// By method

/// The methods that are compared with first principles.
std::vector<std::string> compared_methods(const Cases& cases) {
  std::vector<std::string> names;
  for (const AndreasCase& each : cases)
    for (std::size_t i = kFirstPrinciples.size(); i < each.runs.size(); ++i)
      if (std::ranges::find(names, each.runs[i].method) == names.end())
        names.push_back(each.runs[i].method);
  return names;
}

std::string table_by_method(const Cases& all) {
  std::string text =
      "Total cost saved against first-principle methods (node each: with a node for each job), "
      "mean "
      "of workloads and 95 % interval:\nthe authors' generator, the published weights\n\n"
      "method           workloads  against fifo     against edf      against priority all three    "
      "  "
      " node each        restarts  ms a decision\n";
  for (const std::string& method : compared_methods(all)) {
    const Cases cases = those(all, [&](const AndreasCase& each) { return each.has(method); });
    const auto restarts = [&](const AndreasCase& each) { return restarts_of(each.run(method)); };
    const auto decision_ms = [&](const AndreasCase& each) {
      return each.run(method).decision_mean_us.value_or(0) / 1000;
    };
    text += fmt::format("{:<16} {:>8}", method, cases.size());
    for (const char* rival : kFirstPrinciples)
      text += "  " + savings_text(all_of(cases, saved_against(method, {&rival, 1})));
    text += fmt::format("  {}  {} {:>8.1f} {:>10.2f}\n",
                        savings_text(all_of(cases, saved_against(method, kFirstPrinciples))),
                        savings_text(all_of(cases, saved_against(method, kNodeEach))),
                        spread_of(all_of(cases, restarts)).mean,
                        spread_of(all_of(cases, decision_ms)).mean);
  }
  return text;
}

// Of pr, by group

/// The most that any scheduler could save, had it known everything in advance.
double possible_saving(const AndreasCase& each) {
  double sum = 0;
  for (const char* rival : kFirstPrinciples) {
    const RunSummary& run = each.run(rival);
    sum += 1 - run.bound_total_cost.value_or(0) / total_cost_of(run);
  }
  return sum / kFirstPrinciples.size();
}

/// What pr saves against the cheapest of the three: less than nothing if it is dearer.
double least_saving(const AndreasCase& each) {
  double least = 1;
  for (const char* rival : kFirstPrinciples) least = std::min(least, saving(each, "pr", rival));
  return least;
}

constexpr const char* kGroupColumns =
    "workloads  packed           possible  node each        cheapest         worst     atc         "
    "     as published     late   restarts\n";

std::string group_row(const std::string& name, const Cases& cases) {
  const auto text = [&](const Figure& figure) { return savings_text(all_of(cases, figure)); };
  const auto mean = [&](const Figure& figure) { return spread_of(all_of(cases, figure)).mean; };
  const auto late = [](const AndreasCase& each) {
    const RunSummary& run = each.run("pr");
    return run.deadline_misses.value_or(0) / *run.jobs_submitted;
  };
  const auto restarts = [](const AndreasCase& each) { return restarts_of(each.run("pr")); };
  const auto pr_against = [&](std::span<const char* const> rivals) {
    return text(saved_against("pr", rivals));
  };
  return fmt::format(
      "{:<44} {:>9}  {}  {:>6.1f} %  {}  {}  {:>6.1f} %  {}  {}  {:>4.1f} % {:>9.1f}\n", name,
      cases.size(), pr_against(kFirstPrinciples), 100 * mean(possible_saving),
      pr_against(kNodeEach), text(least_saving),
      100 * std::ranges::min(all_of(cases, least_saving)), pr_against(kListRule),
      pr_against(kAuthors), 100 * mean(late), mean(restarts));
}

/// The last part of a key.
template <class Key>
const std::string& name_of(const Key& key) {
  return std::get<std::tuple_size_v<Key> - 1>(key);
}

/// One row for all cases that `key` puts together, in the order of the keys.
template <class Key>
std::string group_rows(const Cases& cases, Key key) {
  std::map<decltype(key(cases.front())), Cases> groups;
  for (const AndreasCase& each : cases) groups[key(each)].push_back(each);
  std::string text;
  for (const auto& [of, some] : groups) text += group_row(name_of(of), some);
  return text;
}

const char* generator_of(const AndreasCase& each) {
  return each.is_by_load() ? "by load" : "authors'";
}

auto size_key(const AndreasCase& each) {
  return std::tuple(
      each.is_by_load(), each.weights, each.nodes,
      fmt::format("{}, {} nodes, weights x {:g}", generator_of(each), each.nodes, each.weights));
}

auto weights_key(const AndreasCase& each) {
  return std::tuple(each.is_by_load(), each.weights,
                    fmt::format("{}, weights x {:g}", generator_of(each), each.weights));
}

std::size_t place_of(const std::string& arrivals) {
  return static_cast<std::size_t>(std::ranges::find(kArrivals, arrivals) - kArrivals.begin());
}

std::string workload_name(const AndreasCase& each) {
  return fmt::format("{}, {}, {}{}", each.cluster, each.nodes, each.workload(),
                     each.weights == 1 ? "" : fmt::format(", x {:g}", each.weights));
}

auto workload_key(const AndreasCase& each) {
  return std::tuple(each.is_by_load(), each.cluster, each.weights, each.nodes,
                    place_of(each.arrivals), each.load, each.slack, workload_name(each));
}

std::string tables_of_pr(const Cases& cases) {
  const std::string title =
      "\nSaved by pr: against first principles that pack nodes and what of it is possible by a "
      "lower bound, against those with a node for\neach job, against the cheapest that packs (and "
      "the worst of these), the list rule and the authors' program; ";
  const auto head = [](const char* name) { return fmt::format("{:<44} ", name); };
  return title + "by generator, nodes and weights\n\n" + head("group") + kGroupColumns +
         group_rows(cases, size_key) + group_rows(cases, weights_key) +
         group_row("all workloads", cases) + title + "by cluster, nodes and workload\n\n" +
         head("workload") + kGroupColumns + group_rows(cases, workload_key);
}

// Where it is dearer

struct Tolerance {
  const char* rival;
  double most;  ///< so much dearer may pr be
};
constexpr std::array kTolerances{Tolerance{"fifo", 0.01}, Tolerance{"edf", 0.01},
                                 Tolerance{"priority", 0.01}, Tolerance{"rg as published", 0.01},
                                 Tolerance{"atc", 0.05}};

std::string dearer_lines(const Cases& cases) {
  std::map<decltype(workload_key(cases.front())), Cases> groups;
  for (const AndreasCase& each : cases) groups[workload_key(each)].push_back(each);
  std::string lines;
  for (const auto& [key, some] : groups)
    for (const auto& [rival, most] : kTolerances) {
      const auto savings = all_of(some, saved_against("pr", {&rival, 1}));
      if (savings.empty() || spread_of(savings).mean >= -most) continue;
      lines += fmt::format("{:<44} {:<16} {}\n", name_of(key), rival, savings_text(savings));
    }
  const std::string title =
      "\nWorkloads on which pr is more than 1 % dearer than a rival, or 5 % than atc (saved)\n\n";
  return title + (lines.empty() ? "none\n" : lines);
}

/// Means over all cases of one cluster and kind of arrivals, for each job.
std::string table_of_costs(const Cases& cases, const std::string& cluster) {
  std::string text = fmt::format(
      "\nCost of a job on {}: machines + tardiness, mean over nodes and seeds\n\n{:<16}", cluster,
      "method");
  for (const char* arrivals : kArrivals) text += fmt::format("{:>20}", arrivals);
  text += "\n";
  std::vector<std::string> methods(kFirstPrinciples.begin(), kFirstPrinciples.end());
  std::ranges::copy(compared_methods(cases), std::back_inserter(methods));
  for (const std::string& method : methods) {
    text += fmt::format("{:<16}", method);
    for (const char* arrivals : kArrivals) {
      const Cases some = those(cases, [&](const AndreasCase& each) {
        return each.cluster == cluster && each.arrivals == arrivals && each.has(method);
      });
      const auto of_job = [&](auto money) {
        return spread_of(all_of(some,
                                [&](const AndreasCase& each) {
                                  return money(each.run(method)) / *each.run(method).jobs_submitted;
                                }))
            .mean;
      };
      const double machines = of_job(money_for_machines);
      const double late = of_job([](const RunSummary& r) { return r.tardiness_cost.value_or(0); });
      text += fmt::format("{:>20}",
                          some.empty() ? "-" : fmt::format("{:.3f} + {:.3f}", machines, late));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string andreas_text(const std::vector<AndreasCase>& cases) {
  const Cases published = those(cases, is_published);
  return table_by_method(published) + tables_of_pr(cases) + dearer_lines(cases) +
         table_of_costs(published, "server") + table_of_costs(published, "cloud");
}

std::string andreas_csv(const std::vector<AndreasCase>& cases) {
  std::string text =
      "cluster,nodes,arrivals,seed,weights,method,jobs,machines_cost,tardiness_cost,total_cost,"
      "deadline_misses,preemptions,resizes,migrations,decision_mean_us,decision_p99_us,wall_s,"
      "bound_total_cost,load,slack_least,slack_most\n";
  for (const AndreasCase& each : cases)
    for (const auto& [method, run] : each.runs) {
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", each.cluster, each.nodes,
          each.arrivals, each.seed, each.weights, method, *run.jobs_submitted,
          money_for_machines(run), run.tardiness_cost.value_or(0), total_cost_of(run),
          run.deadline_misses.value_or(0), *run.preemptions, *run.resizes, *run.migrations,
          run.decision_mean_us.value_or(0), run.decision_p99_us.value_or(0), run.wall_s.value_or(0),
          run.bound_total_cost.value_or(0));
      text += each.is_by_load()
                  ? fmt::format(",{},{},{}\n", each.load, each.slack.first, each.slack.second)
                  : ",,,\n";
    }
  return text;
}

std::string andreas_svg(const std::vector<AndreasCase>& cases, const std::string& cluster) {
  std::vector<SvgPanel> panels;
  for (const char* arrivals : kArrivals) {
    SvgPanel panel{.title = fmt::format("cost of a job, {} arrivals", arrivals), .across = "nodes"};
    for (const char* method : {"fifo", "edf", "priority", "atc", "pr"}) {
      std::map<std::uint32_t, std::vector<double>> by_nodes;
      for (const AndreasCase& each : cases)
        if (each.cluster == cluster && each.arrivals == arrivals && each.weights == 1 &&
            each.has(method))
          by_nodes[each.nodes].push_back(total_cost_of(each.run(method)) /
                                         *each.run(method).jobs_submitted);
      SvgCurve curve{.label = method};
      for (const auto& [nodes, costs] : by_nodes)
        curve.line.emplace_back(nodes, spread_of(costs).mean);
      curve.dots = curve.line;
      panel.curves.push_back(std::move(curve));
    }
    panels.push_back(std::move(panel));
  }
  return svg_picture(fmt::format("Energy cost plus tardiness of a job: {}", cluster), panels);
}

}  // namespace penstock
