#include "app/train_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/csv_line.h"
#include "report/svg_panel.h"
#include "report/text.h"

namespace penstock {
namespace {

std::optional<double> measured(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::vector<CurvePoint> points_of(const Trainer& trainer, std::size_t member) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& point : trainer.curve())
    if (point.member == member) points.push_back(point);
  return points;
}

SvgPanel panel_of(const Trainer& trainer, std::size_t member) {
  SvgCurve played{.label = "episodes played"};
  SvgCurve validated{.label = "validation"};
  SvgCurve reference{.label = "best heuristic in hindsight"};
  for (const CurvePoint& point : points_of(trainer, member)) {
    const auto at = static_cast<double>(point.update);
    if (measured(point.mean_return)) played.line.emplace_back(at, -point.mean_return);
    if (measured(point.validation)) validated.line.emplace_back(at, -point.validation);
    if (measured(point.validation)) validated.dots.emplace_back(at, -point.validation);
    reference.line.emplace_back(at, 1.0);
  }
  return {.title = trainer.name_of(member) + ": cost x slowdown over the best heuristic's",
          .across = "update",
          .curves = {played, validated, reference}};
}

}  // namespace

std::string training_csv(const Trainer& trainer) {
  std::string text =
      "network,update,decisions,mean_return,validation_return,best_validation_return,"
      "reference_return,entropy,kl,explained_variance,teacher_agreement\n";
  for (const CurvePoint& point : trainer.curve()) {
    CsvLine line(text);
    line.text(trainer.name_of(point.member));
    line.count(point.update);
    line.count(point.decisions);
    for (const double value : {point.mean_return, point.validation, point.best, -1.0, point.entropy,
                               point.divergence, point.explained, point.agreement})
      line.number(measured(value));
  }
  return text;
}

std::string training_svg(const Trainer& trainer, std::string_view title) {
  std::vector<SvgPanel> panels;
  for (std::size_t m = 0; m < trainer.settings().teachers.size(); ++m)
    if (!points_of(trainer, m).empty()) panels.push_back(panel_of(trainer, m));
  return svg_picture(title, panels);
}

std::string training_text(const Trainer& trainer) {
  const Grounds& grounds = trainer.grounds();
  std::vector<std::pair<double, std::string>> rows;
  for (const Strategy& strategy : all_strategies())
    if (strategy.backfill == grounds.rules.queue.backfill)
      rows.emplace_back(mean_return(strategy, grounds.validation, grounds.rules), strategy.name);
  for (std::size_t m = 0; m < trainer.members().size(); ++m)
    rows.emplace_back(points_of(trainer, m).back().best,
                      fmt::format("network {}", trainer.name_of(m)));
  std::ranges::sort(rows, std::greater<>());
  std::string text = fmt::format(
      "mean return on {} validation episodes; -1 is the best heuristic of each in hindsight\n",
      grounds.validation.size());
  for (const auto& [reached, name] : rows) text += fmt::format("{:>10.3f}  {}\n", reached, name);
  return text;
}

std::string curve_summary(const Trainer& trainer) {
  std::string text;
  for (std::size_t m = 0; m < trainer.settings().teachers.size(); ++m) {
    const std::vector<CurvePoint> points = points_of(trainer, m);
    if (points.empty()) continue;
    const auto best = std::ranges::max_element(points, {}, [](const CurvePoint& point) {
      return measured(point.validation).value_or(-1e300);
    });
    text += fmt::format("{}{}: {:.4f} at first, {:.4f} after {} of {} updates",
                        text.empty() ? "" : "; ", trainer.name_of(m), points.front().validation,
                        best->validation, best->update, points.back().update);
    if (const auto agreed = measured(points.front().agreement))
      text += fmt::format(", agreed with its teacher in {:.1f} %", 100 * *agreed);
  }
  return text;
}

std::string progress_text(const Trainer& trainer, const TrainingPace& pace) {
  const CurvePoint& at = trainer.curve().back();
  const TrainingSettings& settings = trainer.settings();
  const std::string network = fmt::format("{} ({} of {})", trainer.name_of(at.member),
                                          at.member + 1, settings.teachers.size());
  if (at.update == 0) {
    const auto agreed = measured(at.agreement);
    return fmt::format("{}: begins, validation {:.3f}{}", network, at.validation,
                       agreed ? fmt::format(", agrees with its teacher in {:.1f} %", 100 * *agreed)
                              : std::string());
  }
  const std::size_t left =
      settings.updates - at.update + (settings.teachers.size() - 1 - at.member) * settings.updates;
  const double each = pace.seconds / static_cast<double>(std::max<std::size_t>(pace.updates, 1));
  return fmt::format(
      "{}: update {} of {}, return {:.3f} (best heuristic -1), validation {:.3f}, entropy {:.2f}, "
      "KL {:.4f}, {} decisions/s, {} left",
      network, at.update, settings.updates, at.mean_return, at.best, at.entropy, at.divergence,
      grouped(static_cast<double>(pace.decisions) / std::max(pace.seconds, 1e-9), 0),
      rough_duration(round_duration(each * static_cast<double>(left))));
}

}  // namespace penstock
