#include "app/train_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/files/csv_line.h"
#include "report/svg/charts.h"
#include "report/terminal/text.h"

namespace penstock {
namespace {

std::optional<double> measured(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::vector<CurvePoint> points_of(const TrainingStory& story, std::size_t member) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& point : story.curve)
    if (point.member == member) points.push_back(point);
  return points;
}

SvgPanel panel_of(const TrainingStory& story, std::size_t member) {
  SvgCurve played{.label = "episodes played"};
  SvgCurve validated{.label = "validation"};
  SvgCurve reference{.label = story.rival};
  for (const CurvePoint& point : points_of(story, member)) {
    const auto at = static_cast<double>(point.update);
    if (measured(point.mean_return)) played.line.emplace_back(at, -point.mean_return);
    if (measured(point.validation)) validated.line.emplace_back(at, -point.validation);
    if (measured(point.validation)) validated.dots.emplace_back(at, -point.validation);
    reference.line.emplace_back(at, -story.reference);
  }
  return {.title = story.networks[member] + ": " + story.measure,
          .across = "update",
          .curves = {played, validated, reference}};
}

}  // namespace

std::string training_csv(const TrainingStory& story) {
  std::string text =
      "network,update,decisions,mean_return,validation_return,best_validation_return,"
      "reference_return,entropy,kl,explained_variance,teacher_agreement\n";
  for (const CurvePoint& point : story.curve) {
    CsvLine line(text);
    line.text(story.networks[point.member]);
    line.count(point.update);
    line.count(point.decisions);
    for (const double value : {point.mean_return, point.validation, point.best, story.reference,
                               point.entropy, point.divergence, point.explained, point.agreement})
      line.number(measured(value));
  }
  return text;
}

std::string training_svg(const TrainingStory& story, std::string_view title) {
  std::vector<SvgPanel> panels;
  for (std::size_t m = 0; m < story.networks.size(); ++m)
    if (!points_of(story, m).empty()) panels.push_back(panel_of(story, m));
  return svg_picture(title, panels);
}

std::string training_table(const TrainingStory& story,
                           std::vector<std::pair<double, std::string>> rivals) {
  for (std::size_t m = 0; m < story.networks.size(); ++m)
    if (const auto points = points_of(story, m); !points.empty())
      rivals.emplace_back(points.back().best, fmt::format("network {}", story.networks[m]));
  std::ranges::sort(rivals, std::greater<>());
  std::string text;
  for (const auto& [reached, name] : rivals) text += fmt::format("{:>10.4f}  {}\n", reached, name);
  return text;
}

std::string curve_summary(const TrainingStory& story) {
  std::string text;
  for (std::size_t m = 0; m < story.networks.size(); ++m) {
    const std::vector<CurvePoint> points = points_of(story, m);
    if (points.empty()) continue;
    const auto best = std::ranges::max_element(points, {}, [](const CurvePoint& point) {
      return measured(point.validation).value_or(-1e300);
    });
    text += fmt::format("{}{}: {:.4f} at first, {:.4f} after {} of {} updates",
                        text.empty() ? "" : "; ", story.networks[m], points.front().validation,
                        best->validation, best->update, points.back().update);
    if (const auto agreed = measured(points.front().agreement))
      text += fmt::format(", agreed with its teacher in {:.1f} %", 100 * *agreed);
  }
  return text;
}

std::string progress_text(const TrainingStory& story, const TrainingPace& pace) {
  const CurvePoint& at = story.curve.back();
  const std::string network =
      fmt::format("{} ({} of {})", story.networks[at.member], at.member + 1, story.networks.size());
  if (at.update == 0) {
    const auto agreed = measured(at.agreement);
    return fmt::format("{}: begins, validation {:.3f}{}", network, at.validation,
                       agreed ? fmt::format(", agrees with its teacher in {:.1f} %", 100 * *agreed)
                              : std::string());
  }
  const std::size_t left =
      story.updates - at.update + (story.networks.size() - 1 - at.member) * story.updates;
  const double each = pace.seconds / static_cast<double>(std::max<std::size_t>(pace.updates, 1));
  return fmt::format(
      "{}: update {} of {}, return {:.3f} ({} {:.3f}), validation {:.3f}, entropy {:.2f}, "
      "KL {:.4f}, {} decisions/s, {} left",
      network, at.update, story.updates, at.mean_return, story.rival, story.reference, at.best,
      at.entropy, at.divergence,
      grouped(static_cast<double>(pace.decisions) / std::max(pace.seconds, 1e-9), 0),
      rough_duration(round_duration(each * static_cast<double>(left))));
}

}  // namespace penstock
