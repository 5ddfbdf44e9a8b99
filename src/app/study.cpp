#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "app/commands.h"
#include "app/study_andreas.h"
#include "app/study_geo.h"
#include "app/study_mars.h"
#include "app/study_powerflow.h"
#include "app/study_report.h"
#include "app/write_report.h"
#include "report/files/output_file.h"

namespace penstock {
namespace {

struct Given {
  std::string data = "data";
  std::string out;
  bool quick = false;
  bool no_progress = false;
  bool no_report = false;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  // of mars and geo
  std::string weights;
  std::vector<std::string> only;
  std::uint32_t windows = 0;  ///< 0: as many as --quick or its absence says
};

Result<Done> make_folder(const std::filesystem::path& folder) {
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) return Error{folder.string() + ": cannot be made: " + trouble.message()};
  return Done{};
}

/// The last that a study does with its results.
template <class Cases>
Result<Done> finish(const Given& given, const Cases& cases) {
  if (!given.no_report && add_report(given.out, page_sources(cases))) tell_report(given.out);
  return Done{};
}

Result<Done> write_files(const std::filesystem::path& folder, const std::vector<StudyCase>& cases) {
  if (auto done = make_folder(folder); !done) return done;
  if (auto done = write_file(folder / "study.csv", study_csv(cases)); !done) return done;
  std::set<std::string> traces;
  for (const StudyCase& each : cases) traces.insert(each.trace);
  for (const std::string& trace : traces)
    if (auto done = write_file(folder / (trace + ".svg"), study_svg(cases, trace)); !done)
      return done;
  return Done{};
}

Result<Done> run(const Given& given) {
  StudyRequest request{.folder = std::filesystem::path(given.data) / "studies" / "powerflow",
                       .loads = {0.3, 0.6, 0.9},
                       .threads = given.jobs,
                       .progress = !given.no_progress};
  if (given.quick) {
    request.loads = {0.6};
    request.only = {"elasticflow", "7f04ca"};
  }
  const auto cases = study_powerflow(request);
  if (!cases) return cases.error();
  fmt::print("{}", study_text(*cases));
  if (given.out.empty()) return Done{};
  if (auto done = write_files(given.out, *cases); !done) return done;
  return finish(given, *cases);
}

Result<Done> run_andreas(const Given& given) {
  const std::filesystem::path folder = given.out;
  AndreasRequest request{.folder = std::filesystem::path(given.data) / "studies" / "andreas",
                         .quick = given.quick,
                         .threads = given.jobs,
                         .progress = !given.no_progress};
  if (!given.out.empty()) {
    if (auto done = make_folder(folder); !done) return done;
    request.after_each = [&folder](const std::vector<AndreasCase>& cases) {
      return write_file(folder / "study.csv", andreas_csv(cases));
    };
  }
  const auto cases = study_andreas(request);
  if (!cases) return cases.error();
  fmt::print("{}", andreas_text(*cases));
  if (given.out.empty()) return Done{};
  for (const char* cluster : {"server", "cloud"})
    if (auto done =
            write_file(folder / (std::string(cluster) + ".svg"), andreas_svg(*cases, cluster));
        !done)
      return done;
  return finish(given, *cases);
}

/// Where networks are: the folder that is named, which must be there, or the one in data/.
Result<std::filesystem::path> weights_folder(const Given& given) {
  if (given.weights.empty()) return std::filesystem::path(given.data) / "weights";
  std::error_code trouble;
  if (!std::filesystem::is_directory(given.weights, trouble))
    return Error{fmt::format("--weights: {}: no such folder", given.weights)};
  return std::filesystem::path(given.weights);
}

Result<Done> run_mars(const Given& given) {
  const auto weights = weights_folder(given);
  if (!weights) return weights.error();
  MarsRequest request{.folder = std::filesystem::path(given.data) / "studies" / "mars",
                      .weights = *weights,
                      .only = given.only,
                      .windows = given.quick ? 5u : 25u,
                      .threads = given.jobs,
                      .progress = !given.no_progress};
  if (given.windows > 0) request.windows = given.windows;
  const std::filesystem::path folder = given.out;
  if (!given.out.empty()) {
    if (auto done = make_folder(folder); !done) return done;
    request.after_each = [&folder](const std::vector<MarsWindow>& some) {
      return write_file(folder / "study.csv", mars_csv(some));
    };
  }
  const auto windows = study_mars(request);
  if (!windows) return windows.error();
  fmt::print("{}", mars_text(*windows));
  if (given.out.empty()) return Done{};
  std::set<std::string> workloads;
  for (const MarsWindow& each : *windows) workloads.insert(each.workload);
  for (const std::string& name : workloads)
    if (auto done = write_file(folder / (name + ".svg"), mars_svg(*windows, name)); !done)
      return done;
  return finish(given, *windows);
}

Result<Done> run_geo(const Given& given) {
  const auto weights = weights_folder(given);
  if (!weights) return weights.error();
  const std::filesystem::path folder = given.out;
  GeoRequest request{.folder = std::filesystem::path(given.data) / "studies" / "geo",
                     .weights = *weights,
                     .only = given.only,
                     .quick = given.quick,
                     .threads = given.jobs,
                     .progress = !given.no_progress};
  if (!given.out.empty()) {
    if (auto done = make_folder(folder); !done) return done;
    request.after_each = [&folder](const std::vector<GeoCase>& cases) {
      return write_file(folder / "study.csv", geo_csv(cases));
    };
  }
  const auto cases = study_geo(request);
  if (!cases) return cases.error();
  fmt::print("{}", geo_text(*cases));
  if (given.out.empty()) return Done{};
  if (auto done = write_file(folder / "pareto.csv", pareto_csv(*cases)); !done) return done;
  for (const GeoPicture& picture : geo_pictures(*cases))
    if (auto done = write_file(folder / picture.file, picture.svg); !done) return done;
  return finish(given, *cases);
}

/// One study as a subcommand, with the options that all have.
std::shared_ptr<Given> add_one(CLI::App& study, const char* name, const char* summary,
                               const char* quick, const std::function<void(const Given&)>& start) {
  auto given = std::make_shared<Given>();
  CLI::App* command = study.add_subcommand(name, summary);
  command->add_flag("--quick", given->quick, quick);
  command->add_option("--data", given->data, "The folder data/ of Penstock");
  command->add_option("--out", given->out, "Write study.csv, pictures and report.html there");
  command->add_flag("--no-report", given->no_report, "Write no report.html");
  command->add_option("--jobs", given->jobs, "Runs at a time")->check(CLI::Range(1u, 1024u));
  command->add_flag("--no-progress", given->no_progress, "Say nothing on the way");
  command->footer(fmt::format("Example: penstock study {} --quick --out study", name));
  command->callback([given, start] { start(*given); });
  return given;
}

void add_mars(CLI::App& study, const std::function<void(const Given&)>& start) {
  const auto given = add_one(
      study, "mars",
      "Bounded slowdown against every heuristic, the best of each window and plain learning",
      "Five windows of each workload instead of 25: a few minutes", start);
  CLI::App* command = study.get_subcommand("mars");
  command->add_option("--weights", given->weights,
                      "Folder of trained networks, NAME.safetensors of a workload or "
                      "mars.safetensors (data/weights)");
  command->add_option("--only", given->only,
                      fmt::format("Workloads, of: {}", fmt::join(mars_workloads(), " ")));
  command->add_option("--windows", given->windows, "Windows of each workload's test part")
      ->check(CLI::Range(1u, 1000u));
}

void add_geo(CLI::App& study, const std::function<void(const Given&)>& start) {
  const auto given =
      add_one(study, "geo", "Utility, cost and carbon of routers over five sites with real prices",
              "Three short stretches of each workload: seconds", start);
  CLI::App* command = study.get_subcommand("geo");
  command->add_option("--weights", given->weights,
                      "Folder of trained routers, such as geo-pai-marl.safetensors (data/weights)");
  command->add_option("--only", given->only,
                      fmt::format("Workloads, of: {}", fmt::join(geo_workloads(), " ")));
}

}  // namespace

void add_study(CLI::App& app, int& exit_code) {
  CLI::App* study = app.add_subcommand("study", "Reproduce a published claim");
  study->require_subcommand(1);
  study->footer("Example: penstock study powerflow --quick");
  const auto carry_out = [&exit_code](const Result<Done>& done) {
    if (!done) exit_code = refuse(done.error().message);
  };
  add_one(*study, "powerflow",
          "Completion time at equal energy against every rival, on Philly's traces",
          "Two traces at one load: under a minute",
          [carry_out](const Given& given) { carry_out(run(given)); });
  add_one(*study, "andreas",
          "Energy cost plus tardiness against first-principle methods, on ANDREAS's workloads",
          "Ten nodes and two seeds: a minute or two",
          [carry_out](const Given& given) { carry_out(run_andreas(given)); });
  add_geo(*study, [carry_out](const Given& given) { carry_out(run_geo(given)); });
  add_mars(*study, [carry_out](const Given& given) { carry_out(run_mars(given)); });
}

}  // namespace penstock
