#include "experiment/sweep/sweep.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/report.h"
#include "app/terminal.h"
#include "experiment/sweep/merge.h"
#include "training/training_sweep.h"

namespace penstock {
namespace {

/// As given on the command line.
struct SweepOptions {
  SweepRequest request{};
  SweepSlurmOptions slurm{};
  std::vector<std::string> pareto{};
  bool on_slurm = false;
  bool no_wait = false;
  bool json = false;
  bool no_progress = false;
  bool no_report = false;
};

Result<ExperimentSpec> sweep_spec(const SweepRequest& request) {
  ExperimentSpec spec{.scenario = request.scenario, .overrides = request.overrides};
  auto choices = parse_choices(request.policies);
  if (!choices) return std::move(choices).error();
  spec.policies = *std::move(choices);
  auto axes = parse_axes(request.vary);
  if (!axes) return std::move(axes).error();
  spec.vary = *std::move(axes);
  return spec;
}

Result<std::vector<ParetoPair>> pairs_of(const SweepOptions& options) {
  if (options.pareto.empty()) return usual_pairs();
  std::vector<ParetoPair> pairs;
  for (const std::string& text : options.pareto) {
    const auto pair = parse_pair(text);
    if (!pair) return Error(pair.error()).in("--pareto");
    pairs.push_back(*pair);
  }
  return pairs;
}

/// Writes report.html by the files that were just written.
void report_points(const SweepFolder& folder) {
  const auto source = open_source(folder.path(), folder.path().filename().string());
  if (source) add_report(folder.path(), std::span(&*source, 1));
}

Result<Done> put_together(const SweepFolder& folder, const std::vector<ParetoPair>& pairs,
                          const SweepOptions& options) {
  const auto merged = merge_simulations(folder, pairs);
  if (!merged) return merged.error();
  if (merged->runs.empty()) return Done{};
  if (!options.no_report) report_points(folder);
  if (options.json) {
    fmt::print("{}", merged->summary);
    return Done{};
  }
  TableStyle style = stdout_style(merged->head.currency);
  if (!merged->fronts.empty() && merged->runs.size() > 1)
    style.text_columns.push_back({"fronts", front_marks(merged->runs.size(), merged->fronts)});
  fmt::print("{}", render_table(merged->runs, style));
  if (!style.text_columns.empty()) fmt::print("{}", front_legend(merged->fronts));
  return Done{};
}

using PutTogether = std::function<Result<Done>(const SweepFolder&)>;

Result<Done> carry_out(const PlannedSweep& sweep, const SweepOptions& options,
                       const PutTogether& merge) {
  const auto folder = run_sweep(
      sweep, options.request,
      {.progress = show_progress(!options.no_progress, "running", "points"), .note = remark});
  if (!folder) return folder.error();
  if (!*folder) return Done{};
  if (auto merged = merge(**folder); !merged) return merged;
  remark(fmt::format("results are in {}", options.request.out));
  return check_failures(**folder);
}

Result<Done> sweep_simulations(const SweepOptions& options) {
  const auto spec = sweep_spec(options.request);
  if (!spec) return spec.error();
  const auto pairs = pairs_of(options);
  if (!pairs) return pairs.error();
  auto plan = plan_sweep(*spec);
  if (!plan) return std::move(plan).error();
  PlannedSweep sweep{.plan = *std::move(plan)};
  const NoteCallback note = remark;
  sweep.runner = [&](const SweepFolder&, const std::vector<std::size_t>& points) {
    return simulate_points(sweep.plan, *spec, points, note);
  };
  return carry_out(sweep, options, [&](const SweepFolder& folder) {
    return put_together(folder, *pairs, options);
  });
}

Result<Done> sweep_trainings(const SweepOptions& options) {
  const auto sweep = plan_trainings(options.request);
  if (!sweep) return sweep.error();
  return carry_out(*sweep, options, [&](const SweepFolder& folder) -> Result<Done> {
    const auto text = merge_trainings(folder, options.json);
    if (!text) return text.error();
    fmt::print("{}", *text);
    return Done{};
  });
}

Result<Done> refuse_mixtures(const SweepOptions& options) {
  const SweepRequest& request = options.request;
  const SweepSlurmOptions& slurm = options.slurm;
  if (request.train.empty() && !request.train_options.empty())
    return Error{
        fmt::format("'{}' is one word too many; options of `penstock train` go with "
                    "--train",
                    request.train_options.front())};
  if (!request.train.empty() && !request.policies.empty())
    return Error{"--policy: is for simulations; --train names the policies to train"};
  if (!request.train.empty() && !options.pareto.empty())
    return Error{"--pareto: trainings have no such measures"};
  const bool tuned = options.no_wait || slurm.per_task > 0 || slurm.array_limit > 0 ||
                     !slurm.partition.empty() || !slurm.time.empty() || !slurm.sbatch.empty();
  if (tuned && !options.on_slurm)
    return Error{
        "--per-task, --partition, --time, --array-limit, --sbatch-arg and --no-wait go with "
        "--slurm"};
  return Done{};
}

/// While it lives, Ctrl-C and SIGTERM do not end the program but end a wait. For programs with one
/// thread at that time.
class SignalWait {
 public:
  SignalWait() {
    sigemptyset(&awaited_);
    sigaddset(&awaited_, SIGINT);
    sigaddset(&awaited_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
  }
  ~SignalWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalWait(const SignalWait&) = delete;
  SignalWait& operator=(const SignalWait&) = delete;

  /// Sleeps; true as soon as one has come.
  bool arrived_within(Duration pause) const {
    const auto ms = pause.count();
    timespec time{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000};
    return sigtimedwait(&awaited_, nullptr, &time) > 0;
  }

 private:
  sigset_t awaited_{};
  sigset_t before_{};
};

/// Catches Ctrl-C as long as it lives.
InterruptibleSleep catch_signals() {
  auto signals = std::make_shared<SignalWait>();
  return [signals](Duration pause) { return signals->arrived_within(pause); };
}

Result<Done> sweep(SweepOptions options) {
  if (auto fine = refuse_mixtures(options); !fine) return fine;
  SweepRequest& request = options.request;
  if (request.out.empty())
    request.out = std::filesystem::path(request.scenario).stem().string() + ".sweep";
  if (options.on_slurm) {
    options.slurm.wait = !options.no_wait;
    options.slurm.progress = !options.no_progress;
    options.slurm.watch = catch_signals;
    request.slurm = options.slurm;
  }
  return request.train.empty() ? sweep_simulations(options) : sweep_trainings(options);
}

void add_sweep_options(CLI::App& command, SweepOptions& options) {
  command.add_option("SCENARIO", options.request.scenario, "Scenario file (TOML)")->required();
  command
      .add_option("--policy", options.request.policies,
                  "Policies instead of the scenario's: fifo,sjf:backfill=easy,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--set", options.request.overrides, "Change a key of the scenario: site.pue=1.1")
      ->allow_extra_args(false);
  command
      .add_option("--vary", options.request.vary,
                  "Run with each of these values: workload.load=0.5,1 (beside [sweep])")
      ->allow_extra_args(false);
  command.add_option("--out", options.request.out,
                     "Folder of the results; what is there is not run again (SCENARIO.sweep)");
  command
      .add_option("--pareto", options.pareto,
                  "Measures to be good in at once, instead of energy_kwh,jct_mean_s and "
                  "total_cost,tardiness_mean_s and carbon_kg,wait_mean_s")
      ->allow_extra_args(false);
  options.request.threads = std::max(1u, std::thread::hardware_concurrency());
  command
      .add_option("--jobs", options.request.threads, "Points at the same time (default: all cores)")
      ->check(CLI::Range(1u, 1024u));
  command.add_flag("--no-report", options.no_report, "Write no report.html");
  command.add_flag("--json", options.json, "Print summary.json instead of the table");
  command.add_flag("--no-progress", options.no_progress, "Do not show progress");
  command
      .add_option("--train", options.request.train,
                  "Train these policies instead of simulating: rl, mars, marl, ...; keys of --vary "
                  "without a dot are options of `penstock train`")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("TRAIN_OPTIONS", options.request.train_options,
                     "With --train, behind --: options for every `penstock train`");
}

void add_slurm_options(CLI::App& command, SweepOptions& options) {
  command.add_flag("--slurm", options.on_slurm,
                   "As a Slurm job array; Ctrl-C leaves the array running and says how to end it");
  command.add_flag("--no-wait", options.no_wait,
                   "Submit and leave; the same command later puts the results together");
  command.add_option("--per-task", options.slurm.per_task,
                     "Points of a task (1; more where there are over 1000 points)");
  command.add_option("--cpus", options.slurm.cpus, "Cores of a task, and its points at a time (1)")
      ->check(CLI::Range(1u, 1024u));
  command.add_option("--array-limit", options.slurm.array_limit, "Tasks that run at the same time");
  command.add_option("--partition", options.slurm.partition, "As sbatch has it");
  command.add_option("--time", options.slurm.time, "Limit of a task, as sbatch has it");
  command
      .add_option("--sbatch-arg", options.slurm.sbatch,
                  "More for sbatch: --sbatch-arg=--account=lab")
      ->allow_extra_args(false);
  command.add_option("--points", options.request.points,
                     "Run only these points, such as 0-3,7, and put nothing together");
  command.add_option("--of", options.request.of, "Refuse to run if the sweep has changed")
      ->group("");
}

}  // namespace

void add_sweep(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand(
      "sweep", "Run every point of a sweep, here or on Slurm; go on where it stopped");
  add_sweep_options(*command, *options);
  add_slurm_options(*command, *options);
  command->footer(
      "Example: penstock sweep data/demo.toml --policy fifo,sjf --vary site.pue=1.1,1.3 --out "
      "pue.sweep");
  command->callback([options, &exit_code] { exit_code = exit_code_of(sweep(*options)); });
}

}  // namespace penstock
