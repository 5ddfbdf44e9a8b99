#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/report.h"
#include "app/terminal.h"
#include "experiment/budget_check.h"
#include "experiment/comparison.h"
#include "report/files/output_file.h"
#include "report/files/summary_json.h"
#include "report/terminal/table.h"

namespace penstock {
namespace {

struct SimulateOptions {
  std::string scenario;
  std::string journal;
  std::vector<std::string> policies;
  std::vector<std::string> overrides;
  std::optional<std::uint64_t> seed;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::optional<std::string> out;
  bool json = false;
  bool no_progress = false;
  bool log_decisions = false;
  bool with_bound = false;
  bool no_report = false;
  std::string timeline = "10 min";
};

Result<ExperimentSpec> simulate_spec(const SimulateOptions& options) {
  ExperimentSpec spec{.scenario = options.scenario, .overrides = options.overrides};
  if (!options.journal.empty()) spec.journal = options.journal;
  if (options.scenario.empty() && options.journal.empty())
    return Error{"SCENARIO: is missing; possible: a scenario file, or --journal with a journal"};
  if (options.seed) spec.overrides.push_back(fmt::format("seed={}", *options.seed));
  auto choices = parse_choices(options.policies);
  if (!choices) return std::move(choices).error();
  spec.policies = *std::move(choices);
  return spec;
}

Result<RunOptions> run_options_of(const SimulateOptions& options) {
  const auto every = parse_duration(options.timeline);
  if (!every || *every <= Duration::zero())
    return Error{
        fmt::format("--timeline: '{}' is not a length of time such as '10 min'", options.timeline)};
  if (options.log_decisions && !options.out)
    return Error{"--log-decisions: writes decisions.jsonl into the directory of --out; name one"};
  return RunOptions{.threads = options.jobs,
                    .with_bound = options.with_bound,
                    .files = {.timeline_every = *every, .decisions = options.log_decisions},
                    .progress = show_progress(!options.no_progress, "simulating", "jobs")};
}

/// Writes what is written once for all runs into `dir`, if there is one, and prints the results.
Result<Done> show_results(const SimulateOptions& options, const Scenario& scenario,
                          const std::vector<RunSummary>& runs, std::optional<OutputDir>& dir) {
  const std::string summary = summary_json(summary_head(scenario), runs);
  bool reported = false;
  if (dir) {
    if (auto written = write_file(dir->path() / "summary.json", summary); !written) return written;
    if (!options.no_report) {
      const PageSource source{.shown = *options.out, .summary = summary, .files = dir->path()};
      reported = add_report(dir->path(), std::span(&source, 1));
    }
    if (auto committed = dir->commit(); !committed) return committed;
    remark(fmt::format("wrote {}", *options.out));
  }
  const std::string shown =
      options.json ? summary : render_table(runs, stdout_style(scenario.currency));
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  if (reported) print_report_path(*options.out);
  return Done{};
}

/// Tells which runs left jobs unfinished or exceeded their budget.
void warn_of_failures(std::span<const RunSummary> runs) {
  const std::vector<std::string> labels = run_labels(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (const double left = runs[i].jobs_unfinished.value_or(0); left > 0)
      remark(fmt::format("warning: {} left {:.0f} of {:.0f} jobs unfinished", labels[i], left,
                         *runs[i].jobs_submitted));
    if (const double use = runs[i].energy_budget_use.value_or(0); use >= 1.0005)
      remark(fmt::format("warning: {} used {:.1f} % more energy than its budget allows", labels[i],
                         100 * (use - 1)));
  }
}

Result<Done> run_simulate(const SimulateOptions& options) {
  const auto spec = simulate_spec(options);
  if (!spec) return spec.error();
  auto run_options = run_options_of(options);
  if (!run_options) return std::move(run_options).error();
  const auto experiment = load_experiment(*spec);
  if (!experiment) return experiment.error();
  for (const std::string& line : experiment->notes) remark("note: " + line);
  for (const std::string& line : short_budgets(*experiment, options.jobs))
    remark("warning: " + line);

  std::optional<OutputDir> dir;
  if (options.out) {
    auto created = OutputDir::create(*options.out);
    if (!created) return std::move(created).error();
    dir = *std::move(created);
    run_options->dir = dir->path();
  }
  const auto comparison = run_experiment(*experiment, *run_options);
  if (!comparison) return comparison.error();
  warn_of_failures(comparison->summaries());
  return show_results(options, experiment->variants.front()->scenario, comparison->summaries(),
                      dir);
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run a scenario under one or more policies");
  command->add_option("SCENARIO", options->scenario,
                      "Scenario file (TOML); with --journal it may be absent");
  command->add_option("--journal", options->journal,
                      "Replay what penstock serve wrote down, in its own scenario or in SCENARIO");
  command
      ->add_option("--policy", options->policies,
                   "Policies to compare instead of the scenario's: fifo,sjf:backfill=easy,...")
      ->delimiter(',');
  command->add_option("--set", options->overrides, "Change a key of the scenario: site.pue=1.1")
      ->allow_extra_args(false);
  command->add_option("--seed", options->seed, "Seed of everything random")
      ->check(CLI::Range(std::uint64_t{0}, kLargestSeed));
  command->add_option("--jobs", options->jobs, "Runs at the same time (default: all cores)")
      ->check(CLI::Range(1u, 1024u));
  command->add_option("--out", options->out,
                      "Write report.html, summary.json, jobs.csv and more here");
  command->add_option("--timeline", options->timeline,
                      "Time between rows of timeline.csv (10 min)");
  command->add_flag("--no-report", options->no_report, "Write no report.html");
  command->add_flag("--log-decisions", options->log_decisions, "Also write decisions.jsonl");
  command->add_flag("--with-bound", options->with_bound,
                    "Say how far each run is from the best possible");
  command->add_flag("--json", options->json, "Print summary.json instead of the table");
  command->add_flag("--no-progress", options->no_progress, "Do not show progress");
  command->footer(
      "Example: penstock simulate data/demo.toml --policy fifo,sjf:backfill=easy --out out");
  command->callback([options, &exit_code] { exit_code = exit_code_of(run_simulate(*options)); });
}

}  // namespace penstock
