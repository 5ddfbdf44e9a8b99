#include "io/scenario/fees.h"

#include <fmt/format.h>

#include "io/text/csv.h"
#include "io/text/file.h"
#include "io/text/number.h"

namespace penstock {

Result<FeeMatrix> parse_fees(std::string_view text, const std::string& file) {
  auto table = CsvTable::open(text, file);
  if (!table) return std::move(table).error();
  const std::vector<std::string>& head = table->columns();
  FeeMatrix matrix{.regions = {head.begin() + 1, head.end()}};
  while (table->next()) {
    const std::string from(table->cell(0));
    const auto at = [&](const std::string& what) {
      return Error{fmt::format("{}:{}: {}", file, table->line(), what)};
    };
    if (!table->is_whole()) return at("has not as many cells as the head");
    for (std::size_t i = 1; i < head.size(); ++i) {
      const auto fee = parse_number<double>(table->cell(i));
      if (!fee) return at(fmt::format("{}: {}", head[i], fee.error().message));
      if (*fee < 0) return at(fmt::format("{}: a fee of {} is negative", head[i], *fee));
      if (!matrix.fees.try_emplace({from, head[i]}, *fee).second)
        return at(fmt::format("there are two fees from '{}' to '{}'", from, head[i]));
    }
  }
  if (matrix.fees.empty()) return Error{file + ": has no fees"};
  return matrix;
}

Result<FeeMatrix> read_fees(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  return parse_fees(*text, path.string());
}

}  // namespace penstock
