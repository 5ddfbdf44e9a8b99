#include "report/measures/pareto.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/files/csv_line.h"

namespace penstock {

// Pairs of measures and their fronts

namespace {

Result<const SummaryMeasure<RunSummary>*> find_measure(std::string_view name) {
  const auto all = run_measures();
  const auto found = std::ranges::find(all, name, &SummaryMeasure<RunSummary>::name);
  if (found != all.end() && found->better != Better::neither) return &*found;
  std::string possible;
  for (const auto& measure : all)
    if (measure.better != Better::neither) possible += " " + std::string(measure.name);
  return Error{
      fmt::format("{} '{}'; possible:{}",
                  found == all.end() ? "there is no measure" : "more or less is not better of",
                  name, possible)};
}

/// A run on the plane of a pair, turned so that less is better.
struct Place {
  double x = 0;
  double y = 0;
  std::size_t run = 0;
};

double turned(double value, Better better) {
  return better == Better::higher ? -value : value;
}

std::vector<Place> places_of(std::span<const RunSummary> runs, const ParetoPair& pair) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto x = runs[i].*pair.x->value;
    const auto y = runs[i].*pair.y->value;
    if (x && y && !is_beaten_by_leaving_jobs(runs[i], runs))
      places.push_back({turned(*x, pair.x->better), turned(*y, pair.y->better), i});
  }
  std::ranges::sort(places, {}, [](const Place& p) { return std::tuple(p.x, p.y, p.run); });
  return places;
}

}  // namespace

std::string ParetoPair::name() const {
  return fmt::format("{} x {}", x->name, y->name);
}

Result<ParetoPair> parse_pair(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    return Error{fmt::format("'{}' is not two measures such as energy_kwh,jct_mean_s", text)};
  auto x = find_measure(text.substr(0, comma));
  if (!x) return std::move(x).error();
  auto y = find_measure(text.substr(comma + 1));
  if (!y) return std::move(y).error();
  return ParetoPair{*x, *y};
}

std::vector<ParetoPair> usual_pairs() {
  return {{&measure_of(&RunSummary::energy_kwh), &measure_of(&RunSummary::jct_mean_s)},
          {&measure_of(&RunSummary::total_cost), &measure_of(&RunSummary::tardiness_mean_s)},
          {&measure_of(&RunSummary::carbon_kg), &measure_of(&RunSummary::wait_mean_s)}};
}

std::vector<bool> pareto_front(std::span<const RunSummary> runs, const ParetoPair& pair) {
  std::vector<bool> on_front(runs.size(), false);
  double least_y = std::numeric_limits<double>::infinity();  // of those with less x
  double x = 0;
  double y = least_y;  // of the last place on the front
  for (const Place& place : places_of(runs, pair)) {
    const bool equal = place.x == x && place.y == y;
    if (!equal && place.y >= least_y) continue;
    on_front[place.run] = true;
    x = place.x;
    y = place.y;
    least_y = std::min(least_y, place.y);
  }
  return on_front;
}

// Fronts of a sweep

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
