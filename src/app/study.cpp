#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/commands.h"
#include "app/report.h"
#include "report/files/output_file.h"
#include "study/andreas/andreas_study.h"
#include "study/geo/geo_study.h"
#include "study/mars/mars_study.h"
#include "study/powerflow/powerflow_study.h"

namespace penstock {
namespace {

struct StudyArguments {
  std::string data = "data";
  std::string out;
  bool quick = false;
  bool tuning = false;  // of powerflow and andreas
  bool no_progress = false;
  bool no_report = false;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  // of mars and geo
  std::string weights;
  std::vector<std::string> only;
  std::uint32_t windows = 0;  ///< 0: as many as --quick or its absence says
};

/// Options of studies that learn.
void add_learning_options(CLI::App& command, StudyArguments& given, const char* weights,
                          const std::vector<std::string>& workloads) {
  command.add_option("--weights", given.weights, weights);
  command.add_option("--only", given.only,
                     fmt::format("Workloads, of: {}", fmt::join(workloads, " ")));
}

void add_powerflow_options(CLI::App& command, StudyArguments& given) {
  command
      .add_flag("--tuning", given.tuning,
                "The cases on which powerflow was tuned, instead of those that are reported")
      ->excludes("--quick");
  command.add_option("--only", given.only, "Traces, by their names in cases.toml");
}

void add_andreas_options(CLI::App& command, StudyArguments& given) {
  command
      .add_flag("--tuning", given.tuning,
                "The cases for tuning andreas, instead of those that are reported")
      ->excludes("--quick");
}

void add_mars_options(CLI::App& command, StudyArguments& given) {
  add_learning_options(command, given,
                       "Folder of trained networks, NAME.safetensors of a workload or "
                       "mars.safetensors (data/weights)",
                       mars_workloads());
  command.add_option("--windows", given.windows, "Windows of each workload's test part")
      ->check(CLI::Range(1u, 1000u));
}

void add_geo_options(CLI::App& command, StudyArguments& given) {
  add_learning_options(command, given,
                       "Folder of trained routers, such as geo-pai-marl.safetensors (data/weights)",
                       geo_workloads());
}

/// One study as a subcommand.
struct StudyCommand {
  const char* name;
  const char* summary;
  const char* quick;  ///< what --quick does
  Result<StudyResult> (*run)(const StudyRequest& request);
  bool saves = true;  ///< study.csv after each case
  /// Adds what only this study has; may be null.
  void (*add_options)(CLI::App& command, StudyArguments& given) = nullptr;
};

constexpr auto kStudies = std::to_array<StudyCommand>({
    {"powerflow", "Completion time at equal energy against every rival, on Philly's traces",
     "Two traces at one load: under half a minute", run_powerflow_study, true,
     add_powerflow_options},
    {"andreas",
     "Energy cost plus tardiness against first principles, a list rule and the authors' program, "
     "on "
     "ANDREAS's workloads and by load",
     "Ten nodes and two seeds: a minute or two", run_andreas_study, true, add_andreas_options},
    {"geo", "Utility, cost and carbon of routers over five sites with real prices",
     "Three short stretches of each workload: seconds", run_geo_study, true, add_geo_options},
    {"mars", "Bounded slowdown against every heuristic, the best of each window and plain learning",
     "Five windows of each workload instead of 25: a few minutes", run_mars_study, true,
     add_mars_options},
});

Result<Done> make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{folder.string() + ": cannot be made: " + error.message()};
  return Done{};
}

/// Where networks are: the folder that is named, which must be there, or the one in data/.
Result<std::filesystem::path> weights_folder(const StudyArguments& given) {
  if (given.weights.empty()) return std::filesystem::path(given.data) / "weights";
  std::error_code error;
  if (!std::filesystem::is_directory(given.weights, error))
    return Error{fmt::format("--weights: {}: no such folder", given.weights)};
  return std::filesystem::path(given.weights);
}

Result<Done> run_study(const StudyCommand& study, const StudyArguments& given) {
  const auto weights = weights_folder(given);
  if (!weights) return weights.error();
  const std::filesystem::path folder = given.out;
  StudyRequest request{.data = given.data,
                       .weights = *weights,
                       .only = given.only,
                       .windows = given.windows,
                       .quick = given.quick,
                       .tuning = given.tuning,
                       .threads = given.jobs};
  if (!given.no_progress)
    request.note = [](std::string_view line) { fmt::print(stderr, "{}\n", line); };
  const auto save = [&folder](const StudyFile& file) {
    return write_file(folder / file.name, file.text);
  };
  if (study.saves && !given.out.empty()) {
    if (auto done = make_folder(folder); !done) return done;
    request.save = save;
  }
  const auto result = study.run(request);
  if (!result) return result.error();
  fmt::print("{}", result->text);
  if (given.out.empty()) return Done{};
  if (auto done = make_folder(folder); !done) return done;
  for (const StudyFile& file : result->files)
    if (auto done = save(file); !done) return done;
  if (!given.no_report && add_report(given.out, result->pages)) print_report_path(given.out);
  return Done{};
}

void add_study_command(CLI::App& parent, const StudyCommand& study, int& exit_code) {
  auto given = std::make_shared<StudyArguments>();
  CLI::App* command = parent.add_subcommand(study.name, study.summary);
  command->add_flag("--quick", given->quick, study.quick);
  command->add_option("--data", given->data, "The folder data/ of Penstock");
  command->add_option("--out", given->out, "Write study.csv, pictures and report.html there");
  command->add_flag("--no-report", given->no_report, "Write no report.html");
  command->add_option("--jobs", given->jobs, "Runs at a time")->check(CLI::Range(1u, 1024u));
  command->add_flag("--no-progress", given->no_progress, "Say nothing on the way");
  command->footer(fmt::format("Example: penstock study {} --quick --out study", study.name));
  if (study.add_options != nullptr) study.add_options(*command, *given);
  command->callback([given, &study, &exit_code] {
    if (const auto done = run_study(study, *given); !done) exit_code = refuse(done.error().message);
  });
}

}  // namespace

void add_study(CLI::App& app, int& exit_code) {
  CLI::App* study = app.add_subcommand("study", "Reproduce a published claim");
  study->require_subcommand(1);
  study->footer("Example: penstock study powerflow --quick");
  for (const StudyCommand& command : kStudies) add_study_command(*study, command, exit_code);
}

}  // namespace penstock
