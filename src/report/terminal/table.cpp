#include "report/terminal/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "report/measures/run_summary.h"
#include "report/terminal/text.h"

namespace penstock {
namespace {

constexpr std::string_view kNothing = "-";  // where a run has no such value

using Field = std::optional<double> RunSummary::*;

/// A unit for columns whose largest value is at least `from` of the measure's own.
struct Scale {
  std::string_view unit;
  double factor = 1;
  double from = 0;
};
constexpr auto kTimes = std::to_array<Scale>(
    {{"s", 1, 0}, {"min", 60, 300}, {"h", 3600, 5 * 3600}, {"d", 86400, 10 * 86400}});
constexpr auto kEnergies =
    std::to_array<Scale>({{"kWh", 1, 0}, {"MWh", 1e3, 1e5}, {"GWh", 1e6, 1e8}});
constexpr auto kMasses = std::to_array<Scale>({{"kg", 1, 0}, {"t", 1e3, 1e5}});
constexpr auto kPercent = std::to_array<Scale>({{"%", 0.01, 0}});
constexpr auto kMoney = std::to_array<Scale>({{"money", 1, 0}});
constexpr auto kPlain = std::to_array<Scale>({{"", 1, 0}});

struct ColumnSpec {
  std::string_view head;
  Field value;
  std::span<const Scale> scales;
  bool by_difference = false;  ///< its 0 means nothing, so changes are no parts of it
};
constexpr auto kColumns = std::to_array<ColumnSpec>({
    {"unfinished", &RunSummary::jobs_unfinished, kPlain},
    {"mean JCT", &RunSummary::jct_mean_s, kTimes},
    {"p95 JCT", &RunSummary::jct_p95_s, kTimes},
    {"mean wait", &RunSummary::wait_mean_s, kTimes},
    {"slowdown", &RunSummary::bounded_slowdown_mean, kPlain},
    {"makespan", &RunSummary::makespan_s, kTimes},
    {"GPU util", &RunSummary::gpu_utilization, kPercent},
    {"energy", &RunSummary::energy_kwh, kEnergies},
    {"budget", &RunSummary::energy_budget_use, kPercent},
    {"cost", &RunSummary::energy_cost, kMoney},
    {"rent", &RunSummary::rent_cost, kMoney},
    {"tardiness", &RunSummary::tardiness_cost, kMoney},
    {"total cost", &RunSummary::total_cost, kMoney},
    {"carbon", &RunSummary::carbon_kg, kMasses},
    {"utility", &RunSummary::utility, kPlain, true},
    {"JCT gap", &RunSummary::gap_jct, kPercent},
    {"energy gap", &RunSummary::gap_energy, kPercent},
    {"cost gap", &RunSummary::gap_cost, kPercent},
    {"late", &RunSummary::deadline_misses, kPlain},
    {"preempted", &RunSummary::preemptions, kPlain},
});

/// A column as text: one entry per run in each list.
struct TableColumn {
  std::string head{};
  std::string unit{};
  std::vector<std::string> values{};
  std::vector<std::string> changes{};
  std::vector<bool> best{};
  bool by_difference = false;  ///< as which changes are given
  std::size_t width = 0;
};

/// A total that is the cost of energy in every run tells nothing more. That nobody is late does,
/// where jobs have deadlines.
bool worth_showing(std::span<const RunSummary> runs, Field value) {
  if (value == &RunSummary::total_cost)
    return std::ranges::any_of(runs, [](const RunSummary& r) {
      return r.total_cost && *r.total_cost != r.energy_cost.value_or(0);
    });
  if (value == &RunSummary::deadline_misses)
    return std::ranges::any_of(runs,
                               [](const RunSummary& r) { return r.deadline_misses.has_value(); });
  return std::ranges::any_of(runs,
                             [&](const RunSummary& r) { return (r.*value).value_or(0) != 0; });
}

const Scale& suitable(std::span<const Scale> scales, std::span<const RunSummary> runs,
                      Field value) {
  double largest = 0;
  for (const RunSummary& run : runs)
    largest = std::max(largest, std::abs((run.*value).value_or(0)));
  const Scale* chosen = &scales.front();
  for (const Scale& scale : scales)
    if (largest >= scale.from) chosen = &scale;
  return *chosen;
}

/// Three digits that count for the smallest value, if the measure allows so many.
int decimals_for(std::span<const RunSummary> runs, Field value, double factor) {
  double smallest = INFINITY;
  for (const RunSummary& run : runs)
    if (const double v = std::abs((run.*value).value_or(0)) / factor; v > 0)
      smallest = std::min(smallest, v);
  if (!std::isfinite(smallest)) return 0;  // all are 0
  const int wanted = 2 - static_cast<int>(std::floor(std::log10(smallest)));
  return std::clamp(wanted, 0, measure_of(value).digits);
}

std::string with_sign(const std::string& digits) {
  const bool something = digits.find_first_not_of("-0.,") != std::string::npos;
  return (something && digits.front() != '-' ? "+" : "") + digits;
}

std::string change(std::optional<double> value, std::optional<double> first) {
  if (!value || !first || *first == 0) return "";
  const double percent = (*value - *first) / *first * 100;
  return with_sign(grouped(percent, std::abs(percent) < 99.95 ? 1 : 0)) + "%";
}

std::string difference(std::optional<double> value, std::optional<double> first, double factor,
                       int decimals) {
  if (!value || !first) return "";
  return with_sign(grouped((*value - *first) / factor, decimals));
}

/// Marks every value that reads like the best one, unless all values do. Runs that left more jobs
/// unfinished than others get no star.
std::vector<bool> best_of(std::span<const RunSummary> runs, Field value,
                          const std::vector<std::string>& texts) {
  const Better better = measure_of(value).better;
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto here = runs[i].*value;
    if (!here || better == Better::neither || is_beaten_by_leaving_jobs(runs[i], runs)) continue;
    const double weight = better == Better::lower ? *here : -*here;
    if (best && weight >= least) continue;
    best = i;
    least = weight;
  }
  std::vector<bool> marks(runs.size(), false);
  if (!best ||
      std::ranges::all_of(texts, [&](const auto& t) { return t == texts[*best] || t == kNothing; }))
    return marks;
  for (std::size_t i = 0; i < runs.size(); ++i)
    marks[i] = texts[i] == texts[*best] && !is_beaten_by_leaving_jobs(runs[i], runs);
  return marks;
}

TableColumn make_column(const ColumnSpec& spec, std::span<const RunSummary> runs,
                        const TableStyle& style) {
  const Scale& scale = suitable(spec.scales, runs, spec.value);
  const int decimals = decimals_for(runs, spec.value, scale.factor);
  const bool money = scale.unit == "money" && !style.currency.empty();
  const std::optional<double> first = runs.front().*spec.value;
  // Nobody reads "-20 %" of a negative value alike.
  const bool by_difference = spec.by_difference || first.value_or(0) < 0;
  TableColumn column{.head = std::string(spec.head),
                     .unit = money ? style.currency : std::string(scale.unit),
                     .by_difference = by_difference};
  for (const RunSummary& run : runs) {
    const auto value = run.*spec.value;
    column.values.push_back(value ? grouped(*value / scale.factor, decimals)
                                  : std::string(kNothing));
    if (&run == runs.data())
      column.changes.emplace_back();
    else
      column.changes.push_back(by_difference ? difference(value, first, scale.factor, decimals)
                                             : change(value, first));
  }
  column.best = best_of(runs, spec.value, column.values);
  const auto widen = [&](const std::string& text) {
    column.width = std::max(column.width, display_width(text));
  };
  widen(column.head);
  widen(column.unit);
  std::ranges::for_each(column.values, widen);
  std::ranges::for_each(column.changes, widen);
  return column;
}

TableColumn make_column(const TextColumn& text) {
  TableColumn column{.head = text.head,
                     .values = text.values,
                     .changes = std::vector<std::string>(text.values.size()),
                     .best = std::vector<bool>(text.values.size(), false),
                     .width = display_width(text.head)};
  for (const std::string& value : text.values)
    column.width = std::max(column.width, display_width(value));
  return column;
}

std::string painted(const std::string& text, std::string_view code, bool colour) {
  return colour && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::size_t room_for_labels(const std::vector<TableColumn>& columns, const TableStyle& style) {
  std::size_t rest = 1;
  for (const TableColumn& column : columns) rest += column.width + 2;
  return std::max<std::size_t>(12, style.width - std::min(style.width, rest));
}

/// The pieces of the table put together line by line.
class TableWriter {
 public:
  TableWriter(std::vector<TableColumn> columns, std::vector<std::string> labels,
              const TableStyle& style)
      : columns_(std::move(columns)), labels_(std::move(labels)), style_(style) {
    for (const TableColumn& column : columns_) rest_ += column.width + 2;
    const std::size_t room = room_for_labels(columns_, style);
    label_width_ = display_width("policy");
    for (std::string& label : labels_) {
      label = shortened(label, room);
      label_width_ = std::max(label_width_, display_width(label));
    }
  }

  std::string render() {
    line("policy", [](const TableColumn& c) { return right_aligned(c.head, c.width) + " "; });
    line("", [](const TableColumn& c) { return right_aligned(c.unit, c.width) + " "; });
    text_.append(label_width_ + rest_ - 1, '-').append("\n");
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      line(labels_[i], [&](const TableColumn& c) { return value(c, i); });
      if (i > 0) line("", [&](const TableColumn& c) { return change_of(c, i); });
    }
    return std::move(text_);
  }

 private:
  template <class Cell>
  void line(const std::string& label, Cell&& cell) {
    std::string out = left_aligned(label, label_width_ + 1);
    for (const TableColumn& column : columns_) out += " " + cell(column);
    out.erase(out.find_last_not_of(' ') + 1);
    if (!out.empty()) text_ += out + '\n';
  }
  std::string value(const TableColumn& c, std::size_t i) const {
    const std::string& text = c.values[i];
    if (!c.best[i]) return right_aligned(text, c.width) + " ";
    if (!style_.colour) return right_aligned(text, c.width) + "*";
    return std::string(c.width - display_width(text), ' ') + painted(text, "1", true) + " ";
  }
  std::string change_of(const TableColumn& c, std::size_t i) const {
    const std::string& text = c.changes[i];
    return std::string(c.width - display_width(text), ' ') + painted(text, "2", style_.colour) +
           " ";
  }

  std::vector<TableColumn> columns_;
  std::vector<std::string> labels_;
  const TableStyle& style_;
  std::string text_;
  std::size_t rest_ = 1;  ///< width of all but the labels
  std::size_t label_width_ = 0;
};

}  // namespace

std::vector<std::string> run_labels(std::span<const RunSummary> runs) {
  std::vector<std::string> labels;
  for (const RunSummary& run : runs) {
    std::string label = run.policy;
    for (const auto& [name, value] : run.options) {
      const bool telling = std::ranges::any_of(runs, [&](const RunSummary& other) {
        const auto there = other.options.find(name);
        return there == other.options.end() || there->second != value;
      });
      if (telling) label += fmt::format(" {}={}", name, value);
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

namespace {

/// "best of its column; …": how the table is to be read.
std::string legend(const std::vector<TableColumn>& columns, std::span<const RunSummary> runs,
                   const std::string& first, const TableStyle& style) {
  std::vector<std::string> differences;
  for (const TableColumn& column : columns)
    if (column.by_difference) differences.push_back(column.head);
  std::string text = fmt::format("{}: best of its column; below each value: change against {}",
                                 style.colour ? painted("bold", "1", true) : "*", first);
  if (!differences.empty())
    text += fmt::format(" (of {}: the difference)", fmt::join(differences, ", "));
  if (std::ranges::any_of(runs, [&](const auto& r) { return is_beaten_by_leaving_jobs(r, runs); }))
    text +=
        "\nruns that leave more jobs unfinished than another get no star: means are over finished "
        "jobs";
  return text + "\n";
}

}  // namespace

namespace {

/// Leaves out columns, those first that are missed least, until no two runs have the same name for
/// want of room.
void make_room(std::vector<TableColumn>& columns, const std::vector<std::string>& labels,
               const TableStyle& style) {
  const auto are_told_apart = [&] {
    std::set<std::string> seen;
    for (const std::string& label : labels)
      seen.insert(shortened(label, room_for_labels(columns, style)));
    return seen.size() == std::set<std::string>(labels.begin(), labels.end()).size();
  };
  for (const char* head : {"GPU util", "slowdown", "mean wait", "makespan"}) {
    if (are_told_apart()) return;
    std::erase_if(columns, [&](const TableColumn& column) { return column.head == head; });
  }
}

}  // namespace

std::string render_table(std::span<const RunSummary> runs, const TableStyle& style) {
  if (runs.empty()) return "";
  std::vector<TableColumn> columns;
  for (const ColumnSpec& spec : kColumns)
    if (worth_showing(runs, spec.value)) columns.push_back(make_column(spec, runs, style));
  for (const TextColumn& text : style.text_columns) columns.push_back(make_column(text));
  const std::vector<std::string> labels = run_labels(runs);
  make_room(columns, labels, style);
  const std::string reading = runs.size() > 1 ? legend(columns, runs, labels.front(), style) : "";
  return TableWriter(std::move(columns), labels, style).render() + reading;
}

}  // namespace penstock
