#include <fmt/format.h>

#include <algorithm>

#include "io/profiles/formats.h"
#include "io/text/number.h"

namespace penstock {

Error cell_error(const CsvTable& table, std::size_t column, std::string_view what) {
  return {fmt::format("{}: {}: {}", table.where(), table.columns()[column], what)};
}

Result<double> cell_number(const CsvTable& table, std::size_t column, Believable range) {
  const std::string_view text = table.cell(column);
  const auto number = parse_number<double>(text);
  if (!number) return cell_error(table, column, number.error().message);
  if (*number < range.least || *number > range.most)
    return cell_error(table, column,
                      fmt::format("{} is not believable; from {} to {} is", in_quotes(text),
                                  range.least, range.most));
  return *number;
}

Result<std::optional<double>> cell_measured(const CsvTable& table, std::size_t column,
                                            Believable range) {
  const std::string_view text = table.cell(column);
  const auto number = parse_number<double>(text);
  if (text.empty() || (number && *number == 0)) return std::optional<double>{};
  const auto believable = cell_number(table, column, range);
  if (!believable) return believable.error();
  return std::optional(*believable);
}

bool head_is(const MeasurementFile& file, std::string_view head) {
  LineReader lines(file.text);
  const auto first = lines.next();
  return first && first->starts_with(head);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return lower;
}

SpeedTable& speed_table(Collected& into, const std::string& model, const std::string& gpu,
                        const std::string& source) {
  auto& all = into.measurements.speeds;
  const auto found = std::ranges::find_if(all, [&](const SpeedTable& table) {
    return table.model == model && table.gpu == gpu && table.source == source;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(SpeedTable{.model = model, .gpu = gpu, .source = source});
}

}  // namespace penstock
