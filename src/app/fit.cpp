#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/commands.h"
#include "app/fit_text.h"
#include "fit/catalogue_fit.h"
#include "io/profiles/catalogue.h"
#include "io/profiles/measurement_files.h"
#include "report/files/output_file.h"
#include "report/svg/fit_plot.h"

namespace penstock {
namespace {

struct Given {
  std::vector<std::string> paths;
  std::string gpu;
  std::string out;
  std::string plots;
};

constexpr std::string_view kHead =
    "Models of trainings, fitted to published measurements by `penstock fit`; see docs/models.md.\n"
    "Times in seconds, power in watts; what the keys mean: docs/formats/profiles.md.";

/// Keeps the speeds of one GPU type. What others draw is still of use.
Result<Done> keep_gpu(Measurements& measurements, const std::string& gpu) {
  if (gpu.empty()) return Done{};
  std::string seen;
  for (const SpeedTable& table : measurements.speeds)
    if (seen.find(table.gpu) == std::string::npos) seen += " " + table.gpu;
  std::erase_if(measurements.speeds, [&](const SpeedTable& table) { return table.gpu != gpu; });
  if (measurements.speeds.empty())
    return Error{fmt::format("--gpu: no speed was measured on '{}'; there are:{}", gpu, seen)};
  return Done{};
}

Result<Done> write_plots(const std::filesystem::path& folder, const Measurements& measurements,
                         const FittedCatalogue& catalogue) {
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) return Error{folder.string() + ": cannot be made: " + trouble.message()};
  for (const FittedProfile& fitted : catalogue.profiles) {
    const Profile& profile = fitted.profile;
    const auto done = write_file(folder / fmt::format("{}-{}.svg", profile.gpu, profile.name),
                                 fit_plot(profile, measurements));
    if (!done) return done.error();
  }
  return Done{};
}

Result<Done> run(const Given& given) {
  std::vector<std::string> notes;
  auto measurements = read_measurements({given.paths.begin(), given.paths.end()}, notes);
  if (!measurements) return measurements.error();
  for (const std::string& note : notes) remark("note: " + note);
  if (const auto kept = keep_gpu(*measurements, given.gpu); !kept) return kept.error();
  const FittedCatalogue catalogue = fit_catalogue(*measurements);
  fmt::print("{}", fit_text(catalogue));
  if (catalogue.profiles.empty() && !given.out.empty())
    return Error{"--out: there is no model to write: no file holds iteration times"};
  if (!given.out.empty()) {
    const auto done = write_file(given.out, profiles_toml(catalogue.profiles, kHead));
    if (!done) return done.error();
    fmt::print("{} models written to {}\n", catalogue.profiles.size(), given.out);
  }
  if (given.plots.empty()) return Done{};
  return write_plots(given.plots, *measurements, catalogue);
}

}  // namespace

void add_fit(CLI::App& app, int& exit_code) {
  auto given = std::make_shared<Given>();
  CLI::App* command =
      app.add_subcommand("fit", "Fit models of speed, power and batch size to measurements");
  command->add_option("PATH", given->paths, "Files of measurements, or folders of them")
      ->required();
  command->add_option("--gpu", given->gpu, "Only models for this GPU type, such as a100");
  command->add_option("--out", given->out, "Write the models to this catalogue (TOML)");
  command->add_option("--plots", given->plots, "Draw fits against measurements into this folder");
  command->footer("Example: penstock fit data/profiles --gpu a100 --out models.toml");
  command->callback([given, &exit_code] {
    const auto done = run(*given);
    if (!done) exit_code = refuse(done.error().message);
  });
}

}  // namespace penstock
