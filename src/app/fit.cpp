#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "app/commands.h"
#include "fit/catalogue_fit.h"
#include "io/profiles/catalogue.h"
#include "io/profiles/measurement_files.h"
#include "report/files/output_file.h"
#include "report/svg/fit_plot.h"

namespace penstock {
namespace {

std::string fit_percent(double part) {
  return part < 0 ? "-" : fmt::format("{:.1f}", 100 * part);
}

std::string speed_text(const FittedCatalogue& catalogue) {
  if (catalogue.speeds.empty()) return "";
  std::string out = fmt::format(
      "Speed: mean error in %, fitted to all points and with whole GPU counts or batch sizes left "
      "out\n{:<18} {:<5} {:<12} {:>6} {:>6} {:>9} {:>9} {:>8}  {}\n",
      "model", "gpu", "source", "points", "fitted", "left out:", "gpus", "batches", "worst point");
  for (const SpeedReport& r : catalogue.speeds) {
    const Config& worst = r.held_out.worst.config;
    const std::string where =
        r.held_out.both < 0
            ? "-"
            : fmt::format("{:+.0f} % at {} GPUs on {} nodes, batch {}",
                          100 * r.held_out.worst_error, worst.gpus, worst.nodes, worst.batch);
    out += fmt::format("{:<18} {:<5} {:<12} {:>6} {:>6} {:>9} {:>9} {:>8}  {}{}\n", r.table.model,
                       r.table.gpu, r.table.source, r.table.points.size(), fit_percent(r.fit.error),
                       fit_percent(r.held_out.both), fit_percent(r.held_out.by_gpus),
                       fit_percent(r.held_out.by_batch), where,
                       r.chosen ? "" : "; not in the catalogue: another source has more points");
  }
  return out + "\n";
}

/// Sweeps of one network on one GPU as one line: means, and the middle one's best limits.
struct PowerLine {
  std::size_t sweeps = 0, points = 0, same_best = 0, near_best = 0;
  double draw_in = 0, draw_out = 0, energy_in = 0, energy_out = 0, excess = 0;
  std::vector<double> measured{}, fitted{};
};

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string power_text(const FittedCatalogue& catalogue) {
  if (catalogue.powers.empty()) return "";
  std::map<std::pair<std::string, std::string>, PowerLine> lines;
  for (const PowerReport& r : catalogue.powers) {
    PowerLine& line = lines[{r.gpu + (r.by_limit ? " limit" : " clock"), r.model}];
    ++line.sweeps;
    line.points += r.points;
    line.draw_in += r.fit.draw_error;
    line.energy_in += r.fit.energy_error;
    line.draw_out += r.held_out.draw;
    line.energy_out += r.held_out.energy;
    line.excess += r.excess;
    line.measured.push_back(r.best_measured);
    line.fitted.push_back(r.best_fitted);
  }
  std::string out = fmt::format(
      "Power: mean error in %, fitted and with whole limits or fifths of the clocks left out; the "
      "setting of least energy (medians)\n{:<11} {:<18} {:>6} {:>6} {:>12} {:>8} {:>14} {:>8}  "
      "{}\n",
      "gpu, knob", "model", "sweeps", "points", "draw: fitted", "left out", "energy: fitted",
      "left out", "least energy: measured, fitted");
  for (const auto& [key, line] : lines) {
    const auto n = static_cast<double>(line.sweeps);
    out += fmt::format(
        "{:<11} {:<18} {:>6} {:>6} {:>12} {:>8} {:>14} {:>8}  {:.0f}, {:.0f} {} (costs {:.1f} % "
        "more)\n",
        key.first, key.second, line.sweeps, line.points, fit_percent(line.draw_in / n),
        fit_percent(line.draw_out / n), fit_percent(line.energy_in / n),
        fit_percent(line.energy_out / n), middle(line.measured), middle(line.fitted),
        key.first.ends_with("limit") ? "W" : "MHz", 100 * line.excess / n);
  }
  return out + "\n";
}

std::string noise_text(const FittedCatalogue& catalogue) {
  if (catalogue.noise.empty()) return "";
  std::string out = fmt::format(
      "Gradient noise: samples needed by batch size\n{:<18} {:>12} {:>12} {:>9} {:>21}\n", "model",
      "batches", "noise scale", "error %", "loss at the largest %");
  for (const auto& [table, fit] : catalogue.noise)
    out += fmt::format("{:<18} {:>12} {:>12} {:>9} {:>21}\n", table.model,
                       fmt::format("{}-{}", table.points.front().batch, table.points.back().batch),
                       fit.model.scale ? fmt::format("{:.0f}", *fit.model.scale) : "no loss seen",
                       fit_percent(fit.error), fmt::format("{:.1f}", 100 * fit.loss));
  return out + "\n";
}

std::string front_text(const FittedCatalogue& catalogue) {
  std::string out;
  for (const auto& [profile, errors] : catalogue.profiles) {
    if (!profile.is_front()) continue;
    const FrontPoint& quick = profile.front.front();
    const FrontPoint& thrifty = profile.front.back();
    if (out.empty())
      out = fmt::format(
          "Fronts of pipelines: seconds and kJ of an iteration, at the quickest and the thriftiest "
          "point\n{:<24} {:<5} {:>5} {:>7} {:>8} {:>8} {:>10} {:>10}\n",
          "model", "gpu", "GPUs", "points", "quickest", "kJ", "thriftiest", "kJ");
    out += fmt::format("{:<24} {:<5} {:>5} {:>7} {:>8.2f} {:>8.1f} {:>10.2f} {:>10.1f}\n",
                       profile.name, profile.gpu, profile.gpus_most, profile.front.size(),
                       quick.seconds, quick.joules / 1e3, thrifty.seconds, thrifty.joules / 1e3);
  }
  return out.empty() ? out : out + "\n";
}

/// What was fitted, how well, and where the least energy is, as tables for people.
std::string fit_text(const FittedCatalogue& catalogue) {
  return speed_text(catalogue) + power_text(catalogue) + noise_text(catalogue) +
         front_text(catalogue);
}

struct FitOptions {
  std::vector<std::string> paths;
  std::string gpu;
  std::string out;
  std::string plots;
};

constexpr std::string_view kCatalogueHead =
    "Models of trainings, fitted to published measurements by `penstock fit`; see docs/models.md.\n"
    "Times in seconds, power in watts; what the keys mean: docs/formats/profiles.md.";

/// Keeps the speeds of one GPU type. What others draw is still of use.
Result<Done> keep_gpu(Measurements& measurements, const std::string& gpu) {
  if (gpu.empty()) return Done{};
  std::string seen;
  for (const SpeedTable& table : measurements.speeds)
    if (seen.find(table.gpu) == std::string::npos) seen += " " + table.gpu;
  std::erase_if(measurements.speeds, [&](const SpeedTable& table) { return table.gpu != gpu; });
  std::erase_if(measurements.fronts, [&](const PipelineFront& front) { return front.gpu != gpu; });
  if (measurements.speeds.empty() && measurements.fronts.empty())
    return Error{fmt::format("--gpu: no speed was measured on '{}'; there are:{}", gpu, seen)};
  return Done{};
}

Result<Done> write_plots(const std::filesystem::path& folder, const Measurements& measurements,
                         const FittedCatalogue& catalogue) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Error{folder.string() + ": cannot be made: " + error.message()};
  for (const FittedProfile& fitted : catalogue.profiles) {
    const Profile& profile = fitted.profile;
    if (profile.is_front()) continue;
    const auto done = write_file(folder / fmt::format("{}-{}.svg", profile.gpu, profile.name),
                                 fit_plot(profile, measurements));
    if (!done) return done.error();
  }
  return Done{};
}

Result<Done> run_fit(const FitOptions& options) {
  std::vector<std::string> notes;
  auto measurements = read_measurements({options.paths.begin(), options.paths.end()}, notes);
  if (!measurements) return measurements.error();
  for (const std::string& note : notes) remark("note: " + note);
  if (const auto kept = keep_gpu(*measurements, options.gpu); !kept) return kept.error();
  const FittedCatalogue catalogue = fit_catalogue(*measurements);
  fmt::print("{}", fit_text(catalogue));
  if (catalogue.profiles.empty() && !options.out.empty())
    return Error{"--out: there is no model to write: no file holds iteration times"};
  if (!options.out.empty()) {
    const auto done = write_file(options.out, profiles_toml(catalogue.profiles, kCatalogueHead));
    if (!done) return done.error();
    fmt::print("{} models written to {}\n", catalogue.profiles.size(), options.out);
  }
  if (options.plots.empty()) return Done{};
  return write_plots(options.plots, *measurements, catalogue);
}

}  // namespace

void add_fit(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<FitOptions>();
  CLI::App* command =
      app.add_subcommand("fit", "Fit models of speed, power and batch size to measurements");
  command->add_option("PATH", options->paths, "Files of measurements, or folders of them")
      ->required();
  command->add_option("--gpu", options->gpu, "Only models for this GPU type, such as a100");
  command->add_option("--out", options->out, "Write the models to this catalogue (TOML)");
  command->add_option("--plots", options->plots, "Draw fits against measurements into this folder");
  command->footer("Example: penstock fit data/profiles --gpu a100 --out models.toml");
  command->callback([options, &exit_code] { exit_code = exit_code_of(run_fit(*options)); });
}

}  // namespace penstock
