#include "app/sweep.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/sweep_merge.h"
#include "app/sweep_train.h"

namespace penstock {
namespace {

Result<BatchRequest> to_request(const SweepOptions& options) {
  BatchRequest request{.scenario = options.scenario, .overrides = options.overrides};
  for (const std::string& text : options.policies) {
    auto choice = parse_choice(text);
    if (!choice) return std::move(choice).error();
    request.policies.push_back(*std::move(choice));
  }
  auto axes = parse_axes(options.vary);
  if (!axes) return std::move(axes).error();
  request.vary = *std::move(axes);
  return request;
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

Result<Done> sweep_simulations(const SweepOptions& options) {
  const auto request = to_request(options);
  if (!request) return request.error();
  const auto pairs = pairs_of(options);
  if (!pairs) return pairs.error();
  auto plan = plan_sweep(*request);
  if (!plan) return std::move(plan).error();
  SweepKind kind{.plan = *std::move(plan)};
  kind.runner = [&](const SweepFolder&, const std::vector<std::size_t>& points) {
    return simulate_points(kind.plan, *request, points);
  };
  kind.merge = [&](const SweepFolder& folder) {
    return merge_simulations(folder,
                             {.pairs = *pairs, .json = options.json, .report = !options.no_report});
  };
  return carry_out(kind, options);
}

Result<Done> refuse_mixtures(const SweepOptions& options) {
  if (options.train.empty() && !options.train_options.empty())
    return Error{
        fmt::format("'{}' is one word too many; options of `penstock train` go with "
                    "--train",
                    options.train_options.front())};
  if (!options.train.empty() && !options.policies.empty())
    return Error{"--policy: is for simulations; --train names the policies to train"};
  if (!options.train.empty() && !options.pareto.empty())
    return Error{"--pareto: trainings have no such measures"};
  const bool tuned = options.no_wait || options.per_task > 0 || options.array_limit > 0 ||
                     !options.partition.empty() || !options.time.empty() || !options.sbatch.empty();
  if (tuned && !options.slurm)
    return Error{
        "--per-task, --partition, --time, --array-limit, --sbatch-arg and --no-wait go with "
        "--slurm"};
  return Done{};
}

Result<Done> sweep(SweepOptions options) {
  if (auto fine = refuse_mixtures(options); !fine) return fine;
  if (options.out.empty())
    options.out = std::filesystem::path(options.scenario).stem().string() + ".sweep";
  return options.train.empty() ? sweep_simulations(options) : sweep_trainings(options);
}

void add_what(CLI::App& command, SweepOptions& options) {
  command.add_option("SCENARIO", options.scenario, "Scenario file (TOML)")->required();
  command
      .add_option("--policy", options.policies,
                  "Policies instead of the scenario's: fifo,sjf:backfill=easy,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--set", options.overrides, "Change a key of the scenario: site.pue=1.1")
      ->allow_extra_args(false);
  command
      .add_option("--vary", options.vary,
                  "Run with each of these values: workload.load=0.5,1 (beside [sweep])")
      ->allow_extra_args(false);
  command.add_option("--out", options.out,
                     "Folder of the results; what is there is not run again (SCENARIO.sweep)");
  command
      .add_option("--pareto", options.pareto,
                  "Measures to be good in at once, instead of energy_kwh,jct_mean_s and "
                  "total_cost,tardiness_mean_s and carbon_kg,wait_mean_s")
      ->allow_extra_args(false);
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  command.add_option("--jobs", options.jobs, "Points at the same time (default: all cores)")
      ->check(CLI::Range(1u, 1024u));
  command.add_flag("--no-report", options.no_report, "Write no report.html");
  command.add_flag("--json", options.json, "Print summary.json instead of the table");
  command.add_flag("--no-progress", options.no_progress, "Do not show progress");
  command
      .add_option("--train", options.train,
                  "Train these policies instead of simulating: rl, mars, marl, ...; keys of --vary "
                  "without a dot are options of `penstock train`")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("TRAIN_OPTIONS", options.train_options,
                     "With --train, behind --: options for every `penstock train`");
}

void add_slurm(CLI::App& command, SweepOptions& options) {
  command.add_flag("--slurm", options.slurm,
                   "As a Slurm job array; Ctrl-C leaves the array running and says how to end it");
  command.add_flag("--no-wait", options.no_wait,
                   "Submit and leave; the same command later puts the results together");
  command.add_option("--per-task", options.per_task,
                     "Points of a task (1; more where there are over 1000 points)");
  command.add_option("--cpus", options.cpus, "Cores of a task, and its points at a time (1)")
      ->check(CLI::Range(1u, 1024u));
  command.add_option("--array-limit", options.array_limit, "Tasks that run at the same time");
  command.add_option("--partition", options.partition, "As sbatch has it");
  command.add_option("--time", options.time, "Limit of a task, as sbatch has it");
  command.add_option("--sbatch-arg", options.sbatch, "More for sbatch: --sbatch-arg=--account=lab")
      ->allow_extra_args(false);
  command.add_option("--points", options.points,
                     "Run only these points, such as 0-3,7, and put nothing together");
  command.add_option("--of", options.of, "Refuse to run if the sweep has changed")->group("");
}

}  // namespace

void add_sweep(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand(
      "sweep", "Run every point of a sweep, here or on Slurm; go on where it stopped");
  add_what(*command, *options);
  add_slurm(*command, *options);
  command->footer(
      "Example: penstock sweep data/demo.toml --policy fifo,sjf --vary site.pue=1.1,1.3 --out "
      "pue.sweep");
  command->callback([options, &exit_code] {
    auto done = sweep(*options);
    exit_code = done ? kFine : refuse(done.error().message);
  });
}

}  // namespace penstock
