#include "study/powerflow/powerflow_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "report/svg/charts.h"
#include "study/run_cases.h"

namespace penstock {

// Runs

namespace {

/// Each as published, and at the clock at which each of its jobs needs least energy.
std::vector<Method> all_rivals() {
  std::vector<PolicyChoice> published{{"tiresias"}, {"gandiva"}, {"afs"}, {"optimus"}};
  published.push_back({"srtf", {{"place", "buddy"}}});
  published.push_back({"sjf", {{"place", "buddy"}, {"backfill", "easy"}}});
  std::vector<Method> all;
  all.reserve(2 * published.size());
  for (const PolicyChoice& choice : published) all.push_back({choice.name, choice});
  for (PolicyChoice& choice : published) {
    choice.options["clock"] = "zeus";
    all.push_back({choice.name + " zeus", std::move(choice)});
  }
  return all;
}

/// One trace at one load, with its jobs read.
Result<Experiment> load_trace(const std::filesystem::path& scenario, double factor) {
  return load_experiment({.scenario = scenario,
                          .overrides = {fmt::format("workload.load={}", factor)},
                          .policies = {{"fifo"}}});
}

const Workload& jobs_of(const Experiment& trace) {
  return trace.variants.front()->workload;
}

Duration submission_span(const Workload& workload) {
  return workload.jobs.back().job.submitted - workload.jobs.front().job.submitted;
}

/// GPU time that the jobs ask for, as a part of what the cluster has while they come.
double offered_load(const Experiment& trace) {
  double asked = 0;
  for (const TracedJob& traced : jobs_of(trace).jobs)
    asked += seconds(traced.actual) * traced.job.gpus;
  const double there = trace.variants.front()->scenario.cluster.gpu_count();
  return asked / (seconds(submission_span(jobs_of(trace))) * there);
}

Result<std::vector<RunSummary>> run_policies(Experiment& trace, std::vector<PolicyChoice> policies,
                                             unsigned threads) {
  trace.policies = std::move(policies);
  const auto comparison = run_experiment(trace, {.threads = threads});
  if (!comparison) return comparison.error();
  return comparison->summaries();
}

PolicyChoice powerflow_with(const RunSummary& rival, Duration horizon) {
  return {"powerflow",
          {{"energy_budget", fmt::format("{:.6f} kWh", *rival.energy_kwh)},
           {"budget_horizon", fmt::format("{} s", horizon.count() / 1000 + 1)}}};
}

std::vector<PolicyChoice> along_the_front() {
  std::vector<PolicyChoice> choices;
  for (const char* price : {"0", "30", "100", "300", "1000", "3000", "10000"})
    choices.push_back({"powerflow", {{"energy_price", price}}});
  return choices;
}

Result<PowerflowCase> compare_with_rivals(Experiment trace, unsigned threads) {
  PowerflowCase result;
  const std::vector<Method> all = all_rivals();
  std::vector<PolicyChoice> theirs;
  theirs.reserve(all.size());
  for (const Method& rival : all) theirs.push_back(rival.choice);
  auto rival_runs = run_policies(trace, theirs, threads);
  if (!rival_runs) return std::move(rival_runs).error();
  std::vector<PolicyChoice> ours;
  for (const RunSummary& run : *rival_runs)
    ours.push_back(powerflow_with(run, submission_span(jobs_of(trace))));
  auto our_runs = run_policies(trace, ours, threads);
  if (!our_runs) return std::move(our_runs).error();
  for (std::size_t i = 0; i < all.size(); ++i)
    result.rivals.push_back({all[i].name, std::move((*rival_runs)[i]), std::move((*our_runs)[i])});
  auto front = run_policies(trace, along_the_front(), threads);
  if (!front) return std::move(front).error();
  result.front = *std::move(front);
  return result;
}

Result<std::vector<std::filesystem::path>> scenarios_in(const std::filesystem::path& folder,
                                                        const std::vector<std::string>& only) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().stem().string();
    const bool wanted = only.empty() || std::ranges::find(only, name) != only.end();
    if (entry.path().extension() == ".toml" && wanted) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  if (found.empty()) return no_scenarios(folder);
  return found;
}

}  // namespace

Result<std::vector<PowerflowCase>> run_powerflow_trace(const std::filesystem::path& scenario,
                                                       const std::vector<double>& loads,
                                                       const StudyRequest& request) {
  const auto natural = load_trace(scenario, 1);
  if (!natural) return natural.error();
  const double offered = offered_load(*natural);
  const std::string name = scenario.stem().string();
  const auto run = [&](std::size_t i) -> Result<PowerflowCase> {
    auto trace = load_trace(scenario, loads[i] / offered);
    if (!trace) return std::move(trace).error();
    auto result = compare_with_rivals(*std::move(trace), request.threads);
    if (!result) return result;
    result->trace = name;
    result->load = loads[i];
    return result;
  };
  const auto note = [&](std::size_t i) {
    if (request.note)
      request.note(fmt::format("study powerflow: {} at load {:.1f}", name, loads[i]));
  };
  return run_cases<PowerflowCase>({.count = loads.size(), .run = run, .begins = note});
}

Result<std::vector<PowerflowCase>> run_powerflow_cases(const StudyRequest& request) {
  std::vector<double> loads{0.3, 0.6, 0.9};
  std::vector<std::string> only = request.only;
  if (request.quick) {
    loads = {0.6};
    if (only.empty()) only = {"elasticflow", "7f04ca"};
  }
  const auto scenarios = scenarios_in(request.data / "studies" / "powerflow", only);
  if (!scenarios) return scenarios.error();
  std::vector<PowerflowCase> cases;
  for (const std::filesystem::path& scenario : *scenarios) {
    auto some = run_powerflow_trace(scenario, loads, request);
    if (!some) return std::move(some).error();
    std::ranges::move(*some, std::back_inserter(cases));
  }
  return cases;
}

// Tables and files

namespace {

/// What the rivals with one rival came to over all cases.
struct RivalTally {
  double log_sum = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  double p95_log_sum = 0;
  double energy_sum = 0;
  std::size_t count = 0;
  std::size_t unfinished = 0;
  std::size_t over_budget = 0;  ///< cases that used over 1 % more

  void add(const RivalComparison& compared) {
    energy_sum += compared.energy_ratio();
    ++count;
    over_budget += compared.energy_ratio() > 1.01 ? 1 : 0;
    if (!compared.all_finished()) {
      ++unfinished;
      return;
    }
    log_sum += std::log(compared.jct_ratio());
    p95_log_sum += std::log(compared.p95_ratio());
    least = std::min(least, compared.jct_ratio());
    most = std::max(most, compared.jct_ratio());
  }
  double mean(double sum) const { return std::exp(sum / static_cast<double>(count - unfinished)); }
};

double restarts_per_job(const RunSummary& run) {
  return (*run.resizes + *run.migrations + *run.preemptions) / *run.jobs_submitted;
}

std::string table_by_rival(const std::vector<PowerflowCase>& cases) {
  std::string text =
      "Mean completion time of the rival divided by powerflow's, which had exactly the energy the\n"
      "rival used as its budget. Geometric means over all cases.\n\n"
      "rival          times better    worst     best   p95 better   energy used   over budget   "
      "not finished\n"
      "--------------------------------------------------------------------------------------------"
      "----------\n";
  for (std::size_t i = 0; i < cases.front().rivals.size(); ++i) {
    RivalTally tally;
    for (const PowerflowCase& each : cases) tally.add(each.rivals[i]);
    text += fmt::format(
        "{:<14} {:>12.2f} {:>8.2f} {:>8.2f} {:>12.2f} {:>12.0f}% {:>13} {:>11} of {}\n",
        cases.front().rivals[i].rival, tally.mean(tally.log_sum), tally.least, tally.most,
        tally.mean(tally.p95_log_sum), 100 * tally.energy_sum / static_cast<double>(tally.count),
        tally.over_budget, tally.unfinished, tally.count);
  }
  return text;
}

std::string table_of_case(const PowerflowCase& each) {
  std::string text = fmt::format(
      "\n{} at load {:.1f}\n"
      "rival              JCT h   p95 h     MWh  restarts | powerflow JCT h   p95 h     MWh  "
      "restarts   better\n",
      each.trace, each.load);
  for (const RivalComparison& compared : each.rivals) {
    const auto side = [](const RunSummary& run) {
      return fmt::format("{:>8.2f}{:>8.1f}{:>8.1f}{:>10.1f}", *run.jct_mean_s / 3600,
                         *run.jct_p95_s / 3600, *run.energy_kwh / 1000, restarts_per_job(run));
    };
    const std::string better = compared.all_finished()
                                   ? fmt::format("{:.2f}", compared.jct_ratio())
                                   : fmt::format("{} jobs left", *compared.ours.jobs_submitted -
                                                                     *compared.ours.jobs_finished);
    text += fmt::format("{:<16}{} |        {}{:>9}\n", compared.rival, side(compared.theirs),
                        side(compared.ours), better);
  }
  return text;
}

}  // namespace

std::string powerflow_text(const std::vector<PowerflowCase>& cases) {
  std::string text = table_by_rival(cases);
  for (const PowerflowCase& each : cases) text += table_of_case(each);
  return text;
}

std::string powerflow_csv(const std::vector<PowerflowCase>& cases) {
  std::string text =
      "trace,load,rival,policy,energy_kwh,jct_mean_s,jct_p95_s,jobs_finished,jobs_submitted,"
      "resizes,migrations,preemptions,decision_p99_us\n";
  const auto row = [&](const PowerflowCase& each, std::string_view rival, std::string_view policy,
                       const RunSummary& run) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", each.trace, each.load, rival,
                        policy, *run.energy_kwh, *run.jct_mean_s, *run.jct_p95_s,
                        *run.jobs_finished, *run.jobs_submitted, *run.resizes, *run.migrations,
                        *run.preemptions, run.decision_p99_us.value_or(0));
  };
  for (const PowerflowCase& each : cases) {
    for (const RivalComparison& compared : each.rivals) {
      row(each, compared.rival, compared.rival, compared.theirs);
      row(each, compared.rival, "powerflow", compared.ours);
    }
    for (const RunSummary& run : each.front) row(each, "", "powerflow front", run);
  }
  return text;
}

std::string powerflow_svg(const std::vector<PowerflowCase>& cases, const std::string& trace) {
  std::vector<SvgPanel> panels;
  const auto point = [](const RunSummary& run) {
    return std::pair(*run.energy_kwh / 1000, *run.jct_mean_s / 3600);
  };
  for (const PowerflowCase& each : cases) {
    if (each.trace != trace) continue;
    SvgPanel panel{.title = fmt::format("mean JCT, h, at load {:.1f}", each.load),
                   .across = "energy, MWh",
                   .name_dots = true};
    SvgCurve front{.label = "powerflow"};
    for (const RunSummary& run : each.front) front.line.push_back(point(run));
    std::ranges::sort(front.line);
    front.dots = front.line;
    panel.curves.push_back(std::move(front));
    for (const RivalComparison& compared : each.rivals)
      panel.curves.push_back({.label = compared.rival, .dots = {point(compared.theirs)}});
    panels.push_back(std::move(panel));
  }
  return svg_picture(fmt::format("Energy against completion time: {}", trace), panels);
}

namespace {

PageSource powerflow_page(const PowerflowCase& each) {
  std::vector<MethodRun> runs;
  for (const RivalComparison& compared : each.rivals) {
    runs.push_back({compared.rival, compared.theirs});
    runs.push_back({"powerflow against " + compared.rival, compared.ours});
  }
  for (const RunSummary& run : each.front)
    runs.push_back({"powerflow energy_price=" + run.options.at("energy_price"), run});
  return page_source(fmt::format("{} at load {:.1f}", each.trace, each.load), "", runs);
}

}  // namespace

Result<StudyResult> run_powerflow_study(const StudyRequest& request) {
  const auto cases = run_powerflow_cases(request);
  if (!cases) return cases.error();
  StudyResult result{.text = powerflow_text(*cases),
                     .files = {{"study.csv", powerflow_csv(*cases)}}};
  std::set<std::string> traces;
  for (const PowerflowCase& each : *cases) {
    traces.insert(each.trace);
    result.pages.push_back(powerflow_page(each));
  }
  for (const std::string& trace : traces)
    result.files.push_back({trace + ".svg", powerflow_svg(*cases, trace)});
  return result;
}

}  // namespace penstock
