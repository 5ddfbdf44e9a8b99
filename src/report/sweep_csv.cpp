#include "report/sweep_csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/csv_line.h"

namespace penstock {
namespace {

bool is_defined(const RunSummary& run, const ParetoPair& pair) {
  return (run.*pair.x->value).has_value() && (run.*pair.y->value).has_value();
}

char letter(std::size_t front) {
  return static_cast<char>('a' + front % 26);
}

std::string_view mark(const RunSummary& run, const ParetoFront& front, std::size_t index) {
  if (!is_defined(run, front.pair)) return "";
  return front.on_front[index] ? "1" : "0";
}

void write_head(std::string& text, const PointColumns& point, std::span<const ParetoFront> fronts) {
  CsvLine head(text);
  for (const auto& column : point) head.text(column.first);
  for (const auto& measure : run_measures()) head.text(measure.name);
  for (const ParetoFront& front : fronts)
    head.text(fmt::format("pareto_{}_{}", front.pair.x->name, front.pair.y->name));
}

}  // namespace

std::size_t ParetoFront::size() const {
  return static_cast<std::size_t>(std::ranges::count(on_front, true));
}

std::vector<ParetoFront> fronts_of(std::span<const RunSummary> runs,
                                   std::span<const ParetoPair> pairs) {
  std::vector<ParetoFront> fronts;
  for (const ParetoPair& pair : pairs) {
    ParetoFront front{pair, pareto_front(runs, pair)};
    if (front.size() > 0) fronts.push_back(std::move(front));
  }
  return fronts;
}

std::string sweep_csv(std::span<const PointColumns> points, std::span<const RunSummary> runs,
                      std::span<const ParetoFront> fronts) {
  std::string text;
  if (runs.empty()) return text;
  write_head(text, points.front(), fronts);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CsvLine line(text);
    for (const auto& column : points[i]) line.text(column.second);
    for (const auto& measure : run_measures()) line.number(runs[i].*measure.value);
    for (const ParetoFront& front : fronts) line.text(mark(runs[i], front, i));
  }
  return text;
}

std::vector<std::string> front_marks(std::size_t runs, std::span<const ParetoFront> fronts) {
  std::vector<std::string> marks(runs);
  for (std::size_t i = 0; i < runs; ++i) {
    for (std::size_t f = 0; f < fronts.size(); ++f)
      if (fronts[f].on_front[i]) marks[i] += letter(f);
    if (marks[i].empty()) marks[i] = "-";
  }
  return marks;
}

std::string front_legend(std::span<const ParetoFront> fronts) {
  std::string text;
  for (std::size_t f = 0; f < fronts.size(); ++f) {
    const std::size_t size = fronts[f].size();
    text += fmt::format("{}: on the Pareto front of {} ({} {})\n", letter(f), fronts[f].pair.name(),
                        size, size == 1 ? "point" : "points");
  }
  return text;
}

}  // namespace penstock
