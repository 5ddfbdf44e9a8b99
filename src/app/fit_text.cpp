#include "app/fit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace penstock {
namespace {

std::string percent(double part) {
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
                       r.table.gpu, r.table.source, r.table.points.size(), percent(r.fit.error),
                       percent(r.held_out.both), percent(r.held_out.by_gpus),
                       percent(r.held_out.by_batch), where,
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
        key.first, key.second, line.sweeps, line.points, percent(line.draw_in / n),
        percent(line.draw_out / n), percent(line.energy_in / n), percent(line.energy_out / n),
        middle(line.measured), middle(line.fitted), key.first.ends_with("limit") ? "W" : "MHz",
        100 * line.excess / n);
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
                       percent(fit.error), fmt::format("{:.1f}", 100 * fit.loss));
  return out + "\n";
}

}  // namespace

std::string fit_text(const FittedCatalogue& catalogue) {
  return speed_text(catalogue) + power_text(catalogue) + noise_text(catalogue);
}

}  // namespace penstock
