#include "training/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "io/text/csv.h"
#include "io/text/number.h"
#include "report/files/csv_line.h"
#include "report/svg/charts.h"
#include "report/terminal/text.h"

namespace penstock {
namespace {

std::optional<double> measured(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::vector<CurvePoint> points_of(const TrainingReport& report, std::size_t member) {
  std::vector<CurvePoint> points;
  for (const CurvePoint& point : report.curve)
    if (point.member == member) points.push_back(point);
  return points;
}

SvgPanel panel_of(const TrainingReport& report, std::size_t member) {
  SvgCurve played{.label = "episodes played"};
  SvgCurve validated{.label = "validation"};
  SvgCurve reference{.label = report.baseline};
  for (const CurvePoint& point : points_of(report, member)) {
    const auto at = static_cast<double>(point.update);
    if (measured(point.mean_return)) played.line.emplace_back(at, -point.mean_return);
    if (measured(point.validation)) validated.line.emplace_back(at, -point.validation);
    if (measured(point.validation)) validated.dots.emplace_back(at, -point.validation);
    reference.line.emplace_back(at, -report.reference);
  }
  return {.title = report.networks[member] + ": " + report.measure,
          .across = "update",
          .curves = {played, validated, reference}};
}

/// One network's part of the curve so far.
struct NetworkScore {
  std::uint64_t updates = 0;
  std::optional<double> first{};
  std::optional<double> best{};
  double reference = 0;
};

}  // namespace

std::string training_csv(const TrainingReport& report) {
  std::string text =
      "network,update,decisions,mean_return,validation_return,best_validation_return,"
      "reference_return,entropy,kl,explained_variance,teacher_agreement\n";
  for (const CurvePoint& point : report.curve) {
    CsvLine line(text);
    line.text(report.networks[point.member]);
    line.count(point.update);
    line.count(point.decisions);
    for (const double value : {point.mean_return, point.validation, point.best, report.reference,
                               point.entropy, point.divergence, point.explained, point.agreement})
      line.number(measured(value));
  }
  return text;
}

std::string training_svg(const TrainingReport& report, std::string_view title) {
  std::vector<SvgPanel> panels;
  for (std::size_t m = 0; m < report.networks.size(); ++m)
    if (!points_of(report, m).empty()) panels.push_back(panel_of(report, m));
  return svg_picture(title, panels);
}

std::string training_table(const TrainingReport& report,
                           std::vector<std::pair<double, std::string>> baselines) {
  for (std::size_t m = 0; m < report.networks.size(); ++m)
    if (const auto points = points_of(report, m); !points.empty())
      baselines.emplace_back(points.back().best, fmt::format("network {}", report.networks[m]));
  std::ranges::sort(baselines, std::greater<>());
  std::string text;
  for (const auto& [reached, name] : baselines)
    text += fmt::format("{:>10.4f}  {}\n", reached, name);
  return text;
}

std::string curve_summary(const TrainingReport& report) {
  std::string text;
  for (std::size_t m = 0; m < report.networks.size(); ++m) {
    const std::vector<CurvePoint> points = points_of(report, m);
    if (points.empty()) continue;
    const auto best = std::ranges::max_element(points, {}, [](const CurvePoint& point) {
      return measured(point.validation).value_or(-1e300);
    });
    text += fmt::format("{}{}: {:.4f} at first, {:.4f} after {} of {} updates",
                        text.empty() ? "" : "; ", report.networks[m], points.front().validation,
                        best->validation, best->update, points.back().update);
    if (const auto agreed = measured(points.front().agreement))
      text += fmt::format(", agreed with its teacher in {:.1f} %", 100 * *agreed);
  }
  return text;
}

std::string progress_text(const TrainingReport& report, const TrainingPace& pace) {
  const CurvePoint& at = report.curve.back();
  const std::string network = fmt::format("{} ({} of {})", report.networks[at.member],
                                          at.member + 1, report.networks.size());
  if (at.update == 0) {
    const auto agreed = measured(at.agreement);
    return fmt::format("{}: begins, validation {:.3f}{}", network, at.validation,
                       agreed ? fmt::format(", agrees with its teacher in {:.1f} %", 100 * *agreed)
                              : std::string());
  }
  const std::size_t left =
      report.updates - at.update + (report.networks.size() - 1 - at.member) * report.updates;
  const double each = pace.seconds / static_cast<double>(std::max<std::size_t>(pace.updates, 1));
  return fmt::format(
      "{}: update {} of {}, return {:.3f} ({} {:.3f}), validation {:.3f}, entropy {:.2f}, "
      "KL {:.4f}, {} decisions/s, {} left",
      network, at.update, report.updates, at.mean_return, report.baseline, report.reference,
      at.best, at.entropy, at.divergence,
      grouped(static_cast<double>(pace.decisions) / std::max(pace.seconds, 1e-9), 0),
      rough_duration(round_duration(each * static_cast<double>(left))));
}

Result<TrainingScore> score_of_curve(std::string_view csv, const std::string& file) {
  auto table = CsvTable::open(csv, file);
  if (!table) return std::move(table).error();
  const auto columns = table->columns(
      {"network", "update", "validation_return", "best_validation_return", "reference_return"});
  if (!columns) return columns.error();
  std::map<std::string, NetworkScore, std::less<>> networks;
  while (table->next()) {
    NetworkScore& network = networks[std::string(table->cell((*columns)[0]))];
    const auto number = [&](std::size_t column) {
      const auto value = parse_number<double>(table->cell((*columns)[column]));
      return value ? std::optional(*value) : std::nullopt;
    };
    network.updates = static_cast<std::uint64_t>(number(1).value_or(0));
    if (!network.first) network.first = number(2);
    if (const auto best = number(3)) network.best = best;
    network.reference = number(4).value_or(0);
  }
  if (networks.empty()) return Error{file + ": has no rows"};
  TrainingScore score{.networks = networks.size()};
  const auto share = 1.0 / static_cast<double>(networks.size());
  for (const auto& [name, network] : networks) {
    if (!network.first || !network.best)
      return Error{fmt::format("{}: {} was never validated", file, name)};
    score.updates += network.updates;
    score.first += share * *network.first;
    score.best += share * *network.best;
    score.reference += share * network.reference;
  }
  return score;
}

}  // namespace penstock
